#include "sim/model/expected_largest.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lockstep {

// Newton's method on the distribution function, from a start that is right in the tails.
double normal_quantile(double probability) {
  if (probability < 0.5) return -normal_quantile(1 - probability);
  double x = probability < 0.9 ? 0 : std::sqrt(-2 * std::log(1 - probability)) * 0.8;
  for (int i = 0; i < 40; ++i) {
    const double below = 1 - 0.5 * std::erfc(x / std::numbers::sqrt2);
    const double density = std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
    const double step = (below - probability) / density;
    x -= std::clamp(step, -1.0, 1.0);
    if (std::abs(step) < 1e-12) break;
  }
  return x;
}

double expected_largest(double n) { return n <= 1 ? 0 : normal_quantile((n - 0.375) / (n + 0.25)); }

double largest_quantile(double n, double probability) {
  return normal_quantile(std::pow(probability, 1 / n));
}

}  // namespace lockstep
