#include "measure/two_samples.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/random.h"
#include "measure/student.h"

namespace lockstep {
namespace {

constexpr int kResamples = 10'000;
constexpr uint64_t kSeed = 2018;

// Squared error of the mean, relative to it.
double relative_error(Samples samples) {
  const double n = static_cast<double>(samples.size());
  const double variance = deviation(samples) * deviation(samples) * n / (n - 1);
  return variance / n / (mean(samples) * mean(samples));
}

// Degrees of freedom of the two together (Welch and Satterthwaite).
double freedom_of(Samples first, Samples second) {
  const double a = relative_error(first), b = relative_error(second);
  if (a + b == 0) return static_cast<double>(first.size() + second.size() - 2);
  return (a + b) * (a + b) /
         (a * a / static_cast<double>(first.size() - 1) +
          b * b / static_cast<double>(second.size() - 1));
}

// The mean of as many samples drawn with repetition; distances from the mean are widened, because
// draws from n samples vary by (n - 1) / n too little.
double resampled_mean(Samples samples, const RandomStream& random) {
  const size_t n = samples.size();
  double sum = 0;
  for (size_t i = 0; i < n; ++i) sum += samples[random.bits(i) % n];
  const double drawn = sum / static_cast<double>(n), centre = mean(samples);
  const double widen = std::sqrt(static_cast<double>(n) / static_cast<double>(n - 1));
  return centre + widen * (drawn - centre);
}

Interval resampled_interval(Samples first, Samples second) {
  std::vector<double> ratios;
  ratios.reserve(kResamples);
  for (uint64_t i = 0; i < kResamples; ++i) {
    const RandomStream draws_first(kSeed, 2 * i), draws_second(kSeed, 2 * i + 1);
    ratios.push_back(resampled_mean(second, draws_second) / resampled_mean(first, draws_first));
  }
  const double t = student_97_5(freedom_of(first, second));
  const double tail = 0.5 * std::erfc(t / std::numbers::sqrt2);
  return {.low = quantile(ratios, tail), .high = quantile(ratios, 1 - tail)};
}

}  // namespace

Ratio ratio_of_means(Samples first, Samples second) {
  Ratio ratio = {.value = mean(second) / mean(first), .interval_95 = {}};
  if (first.size() > 1 && second.size() > 1) ratio.interval_95 = resampled_interval(first, second);
  return ratio;
}

int independent_block_length(Samples samples) {
  const double quiet = 2 / std::sqrt(static_cast<double>(samples.size()));
  const int length = block_length(samples);
  const bool dependent = samples.size() > 1 && autocorrelation(samples, 1) >= quiet;
  return dependent ? 3 * length : length;
}

std::vector<double> block_means(Samples samples, int length) {
  const size_t n = samples.size();
  const size_t blocks = std::max<size_t>(n / static_cast<size_t>(length), 1);
  std::vector<double> means;
  for (size_t i = 0; i < blocks; ++i) {
    const size_t begin = i * n / blocks, end = (i + 1) * n / blocks;
    means.push_back(mean(samples.subspan(begin, end - begin)));
  }
  return means;
}

std::vector<double> holm(Samples p_values) {
  std::vector<size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t i) { return p_values[i]; });
  std::vector<double> adjusted(p_values.size());
  double largest = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    const double raised = p_values[order[i]] * static_cast<double>(order.size() - i);
    largest = std::max(largest, std::min(1.0, raised));
    adjusted[order[i]] = largest;
  }
  return adjusted;
}

}  // namespace lockstep
