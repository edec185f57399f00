// allocation_count.h: how often this program has asked for memory, through any door: malloc and
// its relatives, operator new, and mmap.
//
// Requests that come from inside oneDNN and the OpenMP runtime are kept apart. oneDNN copies the
// arguments of every primitive it executes into a table, and its matrix multiplication packs into
// a buffer of its own; the OpenMP runtime makes a team anew for each region of one thread. What the
// project's own code asks for is ours to keep at none.
#pragma once

#include <cstdint>

namespace lockstep {

struct Allocations {  // by all threads
  int64_t own = 0;
  int64_t by_runtimes = 0;
};

// False in sanitizer builds, which have an allocator of their own.
bool allocations_are_counted();
Allocations allocations_so_far();

}  // namespace lockstep
