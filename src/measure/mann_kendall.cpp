#include "measure/mann_kendall.h"

#include <cmath>
#include <numbers>

namespace lockstep {

// The number of rising pairs less that of falling ones, over what chance makes of it.
Trend mann_kendall(Samples samples) {
  double score = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    for (size_t j = i + 1; j < samples.size(); ++j) {
      score += (samples[j] > samples[i]) - (samples[j] < samples[i]);
    }
  }
  if (score == 0) return {};
  const double n = static_cast<double>(samples.size());
  const double deviation_of_score = std::sqrt(n * (n - 1) * (2 * n + 5) / 18);
  const double z = (std::abs(score) - 1) / deviation_of_score;
  return {.sign = score > 0 ? 1 : -1, .p = std::erfc(z / std::numbers::sqrt2)};
}

}  // namespace lockstep
