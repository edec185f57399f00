// buckets.h: groups gradients into all-reduce buckets.
//
// Backward finishes parameters last layer first, and many are a few hundred bytes. Sent together,
// they cost one message while backward is still computing the rest. The arena holds gradients in
// that order, so a bucket is one contiguous span of it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sync/sync_options.h"
#include "tensor/arena_layout.h"

namespace lockstep {

struct Bucket {
  std::vector<ParameterId> parameters;  // complete once this bucket and those before it are
  int64_t first_float, floats;          // in the arena's gradients
  ParameterId last;                     // the last that backward has to finish for it
};

// Each of these covers every parameter of the arena, in order.

// A bucket closes once it holds `target_bytes`.
std::vector<Bucket> make_buckets(const ArenaLayout& arena, int64_t target_bytes);
// Neighbours of at most `small_bytes` each share a bucket, up to `most` of them; others are alone.
std::vector<Bucket> make_groups(const ArenaLayout& arena, int64_t small_bytes, int most);
// The whole arena in `count` equal packs, whatever parameters they cut; the last takes the rest.
std::vector<Bucket> make_packs(const ArenaLayout& arena, int count);

std::vector<Bucket> make_buckets(const ArenaLayout& arena, const SyncOptions& options);

// "conv2 to conv4", in the order of the network, from the names of all parameters ("conv2/kernel");
// empty: none is complete with this bucket, or there are no names.
std::string layers_of(std::span<const ParameterId> parameters, std::span<const std::string> names);

}  // namespace lockstep
