// summary.h: one run in numbers, from its raw steps.
#pragma once

#include <optional>

#include "measure/confidence.h"
#include "measure/steady_state.h"
#include "measure/step_meter.h"

namespace lockstep {

// Times in seconds, over the steady steps (all steps when no steady state was found).
struct Summary {
  int steps = 0;  // that the rest of this is about
  SteadyState steady_state;
  double images_per_second = 0;                  // of the launch, as it was given
  std::optional<Interval> images_per_second_95;  // of that; absent: too few steps to tell
  double median_step = 0, mean_step = 0, p5_step = 0, p95_step = 0, p99_step = 0;
  double mad_step = 0, cv_step = 0;
  double fastest_step = 0, slowest_step = 0;
  int block_length = 0;            // steps that the confidence interval keeps together
  std::vector<int> outlier_steps;  // counted from 1, in all timed steps
  std::array<double, kPhaseNames.size()> mean_phases{};
};

// At least one record. `images_per_second`: all images of the launch over the time that the slowest
// rank took. How well that is known is seen from how much the steady steps differ.
Summary summarize(std::span<const StepRecord> records, double images_per_second);

}  // namespace lockstep
