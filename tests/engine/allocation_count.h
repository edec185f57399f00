// allocation_count.h: how often this program has asked for memory, through any door: malloc and
// its relatives, operator new (which calls it) and mmap.
#pragma once

#include <cstdint>

namespace lockstep {

// False in sanitizer builds, which have an allocator of their own.
bool allocations_are_counted();
int64_t allocations_so_far();  // by all threads

}  // namespace lockstep
