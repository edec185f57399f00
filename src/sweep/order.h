// order.h: the order in which a sweep launches its runs.
//
// A sweep has rounds. Each round launches every run once, in a random order drawn from the seed. So
// a machine that becomes slower affects all runs alike, and no run always follows the same one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep {

// A permutation of 0 .. runs-1.
std::vector<size_t> order_of_round(size_t runs, int round, uint64_t seed);

}  // namespace lockstep
