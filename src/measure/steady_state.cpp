#include "measure/steady_state.h"

#include <algorithm>
#include <cmath>

namespace lockstep {
namespace {

constexpr size_t kBatch = 5;         // of MSER-5
constexpr size_t kFewest = 20;       // steps that can be judged
constexpr size_t kMostPoints = 400;  // of the slope: it looks at every pair
constexpr double kIrrelevantDrift = 0.01;
constexpr double kNormal95 = 1.96;

// How many leading means to cut: the least squared error of the rest's mean. At most half. The
// rest grows from the end, its mean and squared distances kept up to date (Welford 1962).
size_t mser_cut(Samples means) {
  size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  double centre = 0, squares = 0, count = 0;
  for (size_t cut = means.size(); cut-- > 0;) {
    const double distance = means[cut] - centre;
    centre += distance / ++count;
    squares += distance * (means[cut] - centre);
    const double error = squares / (count * count);
    if (cut <= means.size() / 2 && error <= least) {
      least = error;
      best = cut;
    }
  }
  return best;
}

Steadiness judge(const Slope& slope, double drift) {
  const bool flat = slope.interval.low <= 0 && 0 <= slope.interval.high;
  if (flat || std::abs(drift) < kIrrelevantDrift) return Steadiness::Steady;
  return drift > 0 ? Steadiness::SlowingDown : Steadiness::SpeedingUp;
}

}  // namespace

std::string_view words_for(Steadiness steadiness) {
  switch (steadiness) {
    case Steadiness::Steady:
      return "steady";
    case Steadiness::SlowingDown:
      return "no steady state: slowing down";
    case Steadiness::SpeedingUp:
      return "no steady state: speeding up";
    case Steadiness::NeverSettled:
      return "no steady state: still settling at half of the run";
    case Steadiness::TooFewSteps:
      return "too few steps to tell";
  }
  return "";
}

Slope theil_sen(Samples samples) {
  std::vector<double> slopes;
  for (size_t j = 1; j < samples.size(); ++j) {
    for (size_t i = 0; i < j; ++i) {
      slopes.push_back((samples[j] - samples[i]) / static_cast<double>(j - i));
    }
  }
  std::ranges::sort(slopes);
  const double n = static_cast<double>(samples.size()), pairs = static_cast<double>(slopes.size());
  const double reach = kNormal95 * std::sqrt(n * (n - 1) * (2 * n + 5) / 18);
  const double last = pairs - 1;
  const size_t low = static_cast<size_t>(std::clamp(std::floor((pairs - reach) / 2), 0.0, last));
  const size_t high = static_cast<size_t>(std::clamp(std::ceil((pairs + reach) / 2), 0.0, last));
  return {.middle = median(slopes), .interval = {.low = slopes[low], .high = slopes[high]}};
}

SteadyState find_steady_state(Samples step_seconds) {
  if (step_seconds.size() < kFewest) return {};
  const std::vector<double> means = means_of(step_seconds, kBatch);
  const size_t cut = mser_cut(means);
  SteadyState state{.dropped_steps = static_cast<int>(cut * kBatch)};
  const Samples rest = step_seconds.subspan(cut * kBatch);
  const size_t length = (rest.size() + kMostPoints - 1) / kMostPoints;
  const std::vector<double> points = means_of(rest, length);
  const Slope slope = theil_sen(points);
  state.drift = slope.middle * static_cast<double>(points.size()) / median(rest);
  state.steadiness = judge(slope, state.drift);
  if (state.reached() && cut == means.size() / 2) state.steadiness = Steadiness::NeverSettled;
  return state;
}

}  // namespace lockstep
