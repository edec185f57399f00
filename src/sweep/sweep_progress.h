// sweep_progress.h: what is told while a sweep runs: a line for each launch on stderr, on a
// terminal how far it is, and progress.json for those who look on from elsewhere.
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
  // All are borrowed and outlive it.
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
