#include "measure/launches.h"

#include <algorithm>
#include <cmath>

#include "measure/student.h"

namespace lockstep {
namespace {

double count(Samples samples) { return static_cast<double>(samples.size()); }

// Squared error of the mean, relative to it.
double squared_error(Samples samples) {
  const double cv = coefficient_of_variation(samples);
  return cv * cv / (count(samples) - 1);
}

}  // namespace

std::optional<double> LaunchSummary::precision() const {
  if (!images_per_second_95) return {};
  return (images_per_second_95->high - images_per_second_95->low) / 2 / images_per_second;
}

LaunchSummary summarize_launches(Samples seconds_per_image) {
  const double middle = mean(seconds_per_image);
  LaunchSummary summary = {.launches = static_cast<int>(seconds_per_image.size()),
                           .images_per_second = 1 / middle,
                           .images_per_second_95 = {},
                           .cv = 0};
  if (summary.launches < 2) return summary;
  const double n = count(seconds_per_image);
  summary.cv = coefficient_of_variation(seconds_per_image) * std::sqrt(n / (n - 1));
  if (seconds_per_image.size() < kFewestLaunches) return summary;
  const double factor = std::exp(student_97_5(n - 1) * std::sqrt(squared_error(seconds_per_image)));
  summary.images_per_second_95 = {.low = 1 / (middle * factor), .high = factor / middle};
  return summary;
}

Ratio speed_ratio(Samples first, Samples second) {
  Ratio ratio = {.value = mean(first) / mean(second), .interval_95 = {}};
  if (std::min(first.size(), second.size()) < kFewestLaunches) return ratio;
  const double a = squared_error(first), b = squared_error(second), both = a + b;
  const double freedom =
      both > 0 ? both * both / (a * a / (count(first) - 1) + b * b / (count(second) - 1))
               : count(first) + count(second) - 2;
  const double factor = std::exp(student_97_5(freedom) * std::sqrt(both));
  ratio.interval_95 = {.low = ratio.value / factor, .high = ratio.value * factor};
  return ratio;
}

}  // namespace lockstep
