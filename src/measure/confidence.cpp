#include "measure/confidence.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace lockstep {
namespace {

constexpr int kResamples = 2000;
constexpr uint64_t kSeed = 2018;
constexpr size_t kMostPoints = 2000;

// The mean of n samples drawn in blocks; a block that reaches the end goes on at the beginning.
double resampled_mean(Samples samples, size_t block, const RandomStream& random) {
  const size_t n = samples.size();
  double sum = 0;
  for (size_t drawn = 0, start = 0; drawn < n; ++drawn) {
    if (drawn % block == 0) start = random.bits(drawn / block) % n;
    sum += samples[(start + drawn % block) % n];
  }
  return sum / static_cast<double>(n);
}

}  // namespace

double autocorrelation(Samples samples, int lag) {
  const double centre = mean(samples);
  double products = 0, squares = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    const double here = samples[i] - centre;
    squares += here * here;
    const size_t later = i + static_cast<size_t>(lag);
    if (later < samples.size()) products += here * (samples[later] - centre);
  }
  return squares == 0 ? 0 : products / squares;
}

int block_length(Samples samples) {
  if (samples.size() > kMostPoints) {
    const size_t length = (samples.size() + kMostPoints - 1) / kMostPoints;
    return static_cast<int>(length) * block_length(means_of(samples, length));
  }
  const int n = static_cast<int>(samples.size());
  const double quiet = 2 / std::sqrt(n);
  const int most = std::max(n / 2, 1);
  int lag = std::min(static_cast<int>(std::ceil(std::cbrt(n))), most);
  for (int first = 1; first < lag; ++first) {
    if (autocorrelation(samples, first) < quiet) return lag;
  }
  while (lag < most && autocorrelation(samples, lag) >= quiet) ++lag;
  return lag;
}

Interval throughput_interval(Samples step_seconds, double images_per_step) {
  const size_t block = static_cast<size_t>(block_length(step_seconds));
  std::vector<double> speeds;
  speeds.reserve(kResamples);
  for (int i = 0; i < kResamples; ++i) {
    const RandomStream random(kSeed, static_cast<uint64_t>(i));
    speeds.push_back(images_per_step / resampled_mean(step_seconds, block, random));
  }
  return {.low = quantile(speeds, 0.025), .high = quantile(speeds, 0.975)};
}

}  // namespace lockstep
