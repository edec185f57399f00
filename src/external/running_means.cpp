#include "external/running_means.h"

#include <cmath>

namespace lockstep {
namespace {

constexpr double kMostRounding = 0.02;  // of an interval's time

// Time of the first steps, in units of a step's images per second, and how far it may be off.
struct StepsTime {
  double steps = 0, time = 0, rounding = 0;
};

StepsTime time_of(const Reading& mean) {
  const auto steps = static_cast<double>(*mean.step);
  const double time = steps / mean.images_per_second;
  return {steps, time, time * mean.rounding / mean.images_per_second};
}

// The steps between the last two lines. 0: not known.
int64_t period_of(const std::vector<Reading>& means) {
  if (means.size() < 2) return 0;
  for (size_t i = 0; i < means.size(); ++i) {
    if (!means[i].step || (i > 0 && *means[i].step <= *means[i - 1].step)) return 0;
  }
  return *means.back().step - *means[means.size() - 2].step;
}

}  // namespace

std::vector<Reading> intervals_of(const std::vector<Reading>& means) {
  const int64_t period = period_of(means);
  if (period == 0) return {};
  std::vector<Reading> intervals;
  std::optional<StepsTime> before;
  for (const Reading& mean : means) {
    if (*mean.step % period != 0) continue;
    if (*mean.step == period) before = StepsTime{};
    const StepsTime now = time_of(mean);
    if (before) {
      const double time = now.time - before->time, steps = now.steps - before->steps;
      const bool is_good = time > 0 && now.rounding + before->rounding <= kMostRounding * time;
      if (!is_good || steps != static_cast<double>(period)) return {};
      Reading& interval = intervals.emplace_back(mean);
      interval.images_per_second = steps / time;
    }
    before = now;
  }
  return intervals;
}

std::optional<double> rounding_of(const std::string& number) {
  if (number.find_first_not_of("0123456789.") != std::string::npos) return {};
  const size_t point = number.find('.');
  const size_t digits = point == std::string::npos ? 0 : number.size() - point - 1;
  return 0.5 * std::pow(10.0, -static_cast<double>(digits));
}

}  // namespace lockstep
