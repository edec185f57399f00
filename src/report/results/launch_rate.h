// launch_rate.h: the images per second of one launch. This is the only definition: `train` prints
// it, and sweeps, reports and comparisons use it.
#pragma once

#include "report/results/run_result.h"

namespace lockstep {

// All images of the timed steps divided by the time of the slowest rank; for an external program
// the number that it printed. Not positive or NaN: nothing was measured.
//
// The summary of an old result of several workers is not used: it added up the slowest rank of each
// step, and so counted the time that ranks wait for each other twice.
inline double rate_of(const RunResult& run) { return run.throughput.total_images_per_second; }

// The rate if all steps were like the steady ones. Shown in addition to the rate, never instead.
inline double steady_rate_of(const RunResult& run) {
  return run.facts.batch_size * run.facts.devices / run.summary.mean_step;
}

// The warm-up was too short: timed steps before the steady state cost more than a percent.
inline bool began_slowly(const RunResult& run) {
  return run.summary.steady_state.dropped_steps > 0 && rate_of(run) < 0.99 * steady_rate_of(run);
}

}  // namespace lockstep
