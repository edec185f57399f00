// step_times.h: statistics of the step times of a configuration.
//
// Every launch has a summary of its own steps. Launches are the unit, so each number here is the
// median of that number over the launches; steps and outliers are counted over all of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "report/results/results_store.h"

namespace lockstep {

struct StepTimes {
  int64_t steps = 0;     // number of steps in the statistics
  int64_t outliers = 0;  // among all timed steps; included in the statistics
  // In seconds.
  double median = 0, p5 = 0, p95 = 0, p99 = 0;
  double mad = 0;  // median absolute deviation
  double cv = 0;   // standard deviation over mean
};

// `launches`: indices in `runs`. Absent: no launch has step times.
std::optional<StepTimes> step_times_of(std::span<const size_t> launches,
                                       std::span<const StoredRun> runs);

}  // namespace lockstep
