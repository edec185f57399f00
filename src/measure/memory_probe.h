// memory_probe.h: measures the memory bandwidth of some cores with STREAM's triad.
#pragma once

#include <cstdint>

#include "measure/cores.h"

namespace lockstep {

struct MemorySpeed {
  double bytes_per_second = 0;  // of the fastest round: two arrays read, one written
  bool right = true;            // all sums were as expected, on all cores
};

// One thread on each core, all at once, each with its own `bytes_per_core` in three arrays. The
// data should be larger than the caches.
MemorySpeed measure_memory(const CoreSet& cores, int64_t bytes_per_core, int rounds = 5);

}  // namespace lockstep
