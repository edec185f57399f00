// launch_rate.h: the images per second of one launch. There is no other number for it: `train`
// prints this one, and sweeps, reports and comparisons work with it.
#pragma once

#include "report/results/run_result.h"

namespace lockstep {

// All images of the timed steps over the time that the slowest rank took for them; of somebody
// else's program what it says. Not positive, or not a number: nothing was measured.
//
// Not what the summary of an old result of several workers says: that added up the slowest rank of
// each step, and so counted twice what ranks wait for each other.
inline double rate_of(const RunResult& run) { return run.throughput.total_images_per_second; }

// What it would be if all steps were like the steady ones. To be told beside the other, never
// instead of it.
inline double steady_rate_of(const RunResult& run) {
  return run.facts.batch_size * run.facts.devices / run.summary.mean_step;
}

// The warm-up was too short: timed steps before the steady state cost more than a percent.
inline bool began_slowly(const RunResult& run) {
  return run.summary.steady_state.dropped_steps > 0 && rate_of(run) < 0.99 * steady_rate_of(run);
}

}  // namespace lockstep
