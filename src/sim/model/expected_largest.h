// expected_largest.h: how late the last of n is.
#pragma once

namespace lockstep {

double normal_quantile(double probability);  // in (0, 1)

// Expected largest of n values with normal noise, in deviations (Blom's approximation); 0 for one.
double expected_largest(double n);
// The largest of n stays below this with the given probability, in deviations.
double largest_quantile(double n, double probability);

}  // namespace lockstep
