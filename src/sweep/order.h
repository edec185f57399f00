// order.h: in which order a sweep launches its runs.
//
// Round after round: in each, every run is launched once, in an order of its own drawn from the
// seed. So a machine that slows down in the afternoon slows all runs alike, and no run always
// follows the same other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep {

// A permutation of 0 .. runs-1.
std::vector<size_t> order_of_round(size_t runs, int round, uint64_t seed);

}  // namespace lockstep
