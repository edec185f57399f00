// launches.h: a throughput and its uncertainty from several launches of the same run.
//
// Steps of one launch depend on each other and on how the launch began; launches do not. So a
// launch is one measurement, and the interval comes from how launches differ. Measurements are
// seconds per image: times add up, rates do not.
#pragma once

#include <optional>

#include "measure/confidence.h"
#include "measure/two_samples.h"

namespace lockstep {

// Two launches leave one degree of freedom: the interval would reach from next to nothing to many
// times the mean.
inline constexpr size_t kFewestLaunches = 3;

struct LaunchSummary {
  int launches = 0;
  double images_per_second = 0;                  // 1 / mean(seconds per image)
  std::optional<Interval> images_per_second_95;  // absent: too few launches
  double cv = 0;                                 // of the seconds per image, dividing by n - 1

  // Half of the interval over the throughput; absent as that is.
  std::optional<double> precision() const;
};
LaunchSummary summarize_launches(Samples seconds_per_image);  // at least one

// mean(first) / mean(second): how many times faster the second is. The interval adds the relative
// errors of both means as squares, on the logarithm, with Student's t and the degrees of freedom of
// Welch and Satterthwaite; absent where one of them has too few launches.
Ratio speed_ratio(Samples first, Samples second);

}  // namespace lockstep
