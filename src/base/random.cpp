#include "base/random.h"

#include <cmath>

namespace lockstep {
namespace {

constexpr float kWithinTwoDeviations = 0.95449974f;  // of a normal distribution

// The inverse error function for |y| < 0.9966, to single precision (M. Giles, "Approximating the
// erfinv function", 2010).
float inverse_erf(float y) {
  const float w = -std::log((1 - y) * (1 + y)) - 2.5f;
  float p = 2.81022636e-08f;
  for (const float coefficient :
       {3.43273939e-07f, -3.5233877e-06f, -4.39150654e-06f, 0.00021858087f, -0.00125372503f,
        -0.00417768164f, 0.246640727f, 1.50140941f}) {
    p = coefficient + p * w;
  }
  return p * y;
}

}  // namespace

// A uniform number between the two cut-offs, through the inverse of the distribution: no redraws,
// so a large network's first values take a fraction of a second.
void fill_truncated_normal(std::span<float> out, const RandomStream& random, double mean,
                           double deviation) {
  const int64_t count = static_cast<int64_t>(out.size());
  const float scale = static_cast<float>(deviation * std::sqrt(2.0));
  const float centre = static_cast<float>(mean);
#pragma omp parallel for schedule(static) if (count > 65536)
  for (int64_t i = 0; i < count; ++i) {
    const float y = (2 * random.uniform(i) - 1) * kWithinTwoDeviations;
    out[i] = centre + scale * inverse_erf(y);
  }
}

}  // namespace lockstep
