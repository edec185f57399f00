// allreduce_work.h: what `lockstep allreduce` reduces: a range of sizes, or a network's gradients.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/run_config.h"

namespace lockstep {

// "8", "64K", "128M", "1G"; powers of 1024. Throws UsageError naming the option.
int64_t parse_bytes(const std::string& option, const std::string& text);

struct SizeRange {
  int64_t least_bytes = 1 << 10, most_bytes = 64 << 20;
  int factor = 4;  // from one size to the next
};

// Reduced and timed as one: a row of the table.
struct Reduction {
  std::string what;                     // "bucket 3"; empty: the size says it all
  std::vector<int64_t> message_floats;  // one all-reduce each

  int64_t bytes() const;
};

// In whole floats, none outside the range. Throws UsageError on a range that holds no size.
std::vector<Reduction> reductions_of(const SizeRange& range);

// The gradients of a network: each bucket by itself, then all of them one after the other, as a
// step of training does it when nothing overlaps.
std::vector<Reduction> reductions_of_model(const RunConfig& run, int64_t bucket_bytes);

}  // namespace lockstep
