// plan_text.h: what a sweep is about to measure and how long it takes, in a few lines.
#pragma once

#include <string>

#include "report/results/results_store.h"
#include "sweep/sweep_plan.h"

namespace lockstep {

struct RemainingWork {
  size_t launches = 0;  // still to do
  size_t all = 0;
  double seconds = 0;  // rough estimate for those to do
};
RemainingWork remaining_work(const PlannedSweep& sweep, const StoreContents& contents);

// "plan: 8 runs, 3 launches each, ...", and a line for each axis.
std::string plan_text(const PlannedSweep& sweep, const RemainingWork& work);

// "resuming: 8 of 16 launches done"; empty when nothing is done.
std::string resuming_text(const PlannedSweep& sweep, const RemainingWork& work,
                          const StoreContents& contents);

}  // namespace lockstep
