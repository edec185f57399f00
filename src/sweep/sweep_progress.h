// sweep_progress.h: progress of a running sweep: a line per launch on stderr, a progress line on a
// terminal, and progress.json for `lockstep serve`.
#pragma once

#include <optional>
#include <string>

#include "base/interrupt.h"
#include "report/render/progress.h"
#include "report/results/live_state.h"
#include "sweep/sweep_plan.h"

namespace lockstep {

class SweepProgress {
 public:
  // All arguments are borrowed and outlive it.
  SweepProgress(const PlannedSweep& sweep, const std::string& directory, Context& context);

  SweepWatch watch(const InterruptWatch& interrupts);

 private:
  std::string name(const Launch& launch) const;
  LiveState state(const Launch& launch, std::optional<double> rate = {}) const;
  void show(const Launch& launch, const std::string& what);
  void tell(const Launch& launch, const StoredRun& run);

  const PlannedSweep& sweep_;
  Context& context_;
  Progress progress_;
  LiveFile file_;
};

}  // namespace lockstep
