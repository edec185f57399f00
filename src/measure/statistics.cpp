#include "measure/statistics.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace lockstep {
namespace {

constexpr double kMadToDeviation = 1.4826;  // for normal samples
constexpr double kFar = 3.5;

double weighted_mean(Samples samples, double ewma) {
  double sum = 0, weights = 0, weight = 1;
  for (size_t i = samples.size(); i-- > 0; weight *= 1 - ewma) {
    sum += weight * samples[i];
    weights += weight;
  }
  return sum / weights;
}

std::vector<double> distances(Samples samples, double centre) {
  std::vector<double> result;
  result.reserve(samples.size());
  for (const double sample : samples) result.push_back(std::abs(sample - centre));
  return result;
}

}  // namespace

double mean(Samples samples) {
  assert(!samples.empty());
  return std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
}

double deviation(Samples samples) {
  const double centre = mean(samples);
  double squares = 0;
  for (const double sample : samples) squares += (sample - centre) * (sample - centre);
  return std::sqrt(squares / static_cast<double>(samples.size()));
}

double quantile(Samples samples, double fraction) {
  assert(!samples.empty());
  std::vector<double> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  const double position = fraction * static_cast<double>(sorted.size() - 1);
  const size_t below = static_cast<size_t>(position);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - static_cast<double>(below));
}

double median(Samples samples) { return quantile(samples, 0.5); }

double median_absolute_deviation(Samples samples) {
  return median(distances(samples, median(samples)));
}

double coefficient_of_variation(Samples samples) { return deviation(samples) / mean(samples); }

std::vector<double> means_of(Samples samples, size_t length) {
  std::vector<double> means;
  for (size_t i = 0; i + length <= samples.size(); i += length) {
    means.push_back(mean(samples.subspan(i, length)));
  }
  return means;
}

std::vector<int> outliers(Samples samples) {
  std::vector<int> far;
  const double reach = kFar * kMadToDeviation * median_absolute_deviation(samples);
  if (reach == 0) return far;
  const std::vector<double> distance = distances(samples, median(samples));
  for (size_t i = 0; i < distance.size(); ++i) {
    if (distance[i] > reach) far.push_back(static_cast<int>(i));
  }
  return far;
}

Speed speed_of(Samples step_seconds, int images_per_step, double ewma) {
  std::vector<double> speeds;
  speeds.reserve(step_seconds.size());
  for (const double seconds : step_seconds) speeds.push_back(images_per_step / seconds);
  return {.mean = images_per_step / weighted_mean(step_seconds, ewma),
          .uncertainty = deviation(speeds) / std::sqrt(static_cast<double>(speeds.size())),
          .jitter = kMadToDeviation * median_absolute_deviation(speeds)};
}

}  // namespace lockstep
