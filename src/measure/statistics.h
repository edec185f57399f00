// statistics.h: statistics of samples. Quantiles interpolate linearly between order
// statistics; deviations divide by n. Samples must not be empty.
#pragma once

#include <span>
#include <vector>

namespace lockstep {

using Samples = std::span<const double>;

double mean(Samples samples);
double deviation(Samples samples);  // standard deviation, divided by n
double quantile(Samples samples, double fraction);
double median(Samples samples);
double median_absolute_deviation(Samples samples);  // not scaled
double coefficient_of_variation(Samples samples);   // deviation / mean

// Means of runs of `length` samples; what is left at the end is not used.
std::vector<double> means_of(Samples samples, size_t length);

// Position of samples more than 3.5 scaled median absolute deviations from the median (the
// modified z-score of Iglewicz and Hoaglin). They are marked, never dropped.
std::vector<int> outliers(Samples samples);

// What step lines print about the steps so far, from the wall time of each, in seconds.
struct Speed {
  double mean = 0;         // images / mean(time), the time weighted towards the newest by ewma
  double uncertainty = 0;  // deviation(speeds) / sqrt(n)
  double jitter = 0;       // 1.4826 * median absolute deviation of the speeds
};
// `ewma` in [0, 1]: a step's weight is (1 - ewma) ^ age; 0 counts all alike.
Speed speed_of(Samples step_seconds, int images_per_step, double ewma = 0);

}  // namespace lockstep
