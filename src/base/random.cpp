#include "base/random.h"

#include <cmath>
#include <numbers>

namespace lockstep {
namespace {

// Box-Muller on the index's own two uniforms; `attempt` gives each redraw fresh ones.
double normal(const RandomStream& random, uint64_t index, uint64_t attempt) {
  const uint64_t bits = RandomStream::mix(random.bits(index) + attempt);
  const double u = static_cast<double>((bits >> 32) + 1) * 0x1.0p-32;
  const double v = static_cast<double>(bits & 0xffffffffu) * 0x1.0p-32;
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
}

}  // namespace

void fill_truncated_normal(std::span<float> out, const RandomStream& random, double mean,
                           double deviation) {
  const int64_t count = static_cast<int64_t>(out.size());
#pragma omp parallel for schedule(static) if (count > 65536)
  for (int64_t i = 0; i < count; ++i) {
    double x = normal(random, i, 0);
    for (uint64_t attempt = 1; std::abs(x) > 2.0; ++attempt) x = normal(random, i, attempt);
    out[i] = static_cast<float>(mean + deviation * x);
  }
}

}  // namespace lockstep
