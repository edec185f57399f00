// buckets.h: groups gradients into messages worth sending.
//
// Backward finishes parameters last layer first, and many are a few hundred bytes. A bucket
// closes once it holds `target_bytes`, so one all-reduce carries many small gradients while
// backward is still computing the rest. A bucket is one contiguous span of the arena.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tensor/parameter_arena.h"

namespace lockstep {

struct Bucket {
  std::vector<ParameterId> parameters;  // in the order backward finishes them
  int64_t first_float, floats;          // in the arena's gradients
};

// Every parameter of the arena in exactly one bucket, in order.
std::vector<Bucket> make_buckets(const ParameterArena& arena, int64_t target_bytes);

}  // namespace lockstep
