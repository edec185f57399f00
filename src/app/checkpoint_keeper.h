// checkpoint_keeper.h: when a run makes checkpoints: every so many steps or seconds, and at its
// end.
#pragma once

#include <iosfwd>

#include "app/plan.h"
#include "train/capture.h"
#include "train/checkpoint_files.h"

namespace lockstep {

// A replica between two steps; borrowed.
struct AtRest {
  Engine& engine;
  const ParameterArena& arena;
  Strategy& strategy;
};

// Of rank 0 alone. Other workers just wait for its next step.
class CheckpointKeeper {
 public:
  // Borrows both.
  CheckpointKeeper(const RunPlan& plan, std::ostream& notes);

  void after_step(int64_t step, const AtRest& replica);  // `step`: updates so far
  void finish(int64_t step, const AtRest& replica);      // however the run ended

 private:
  bool due(int64_t step) const;
  void save(int64_t step, const AtRest& replica);

  const RunPlan& plan_;
  std::ostream& notes_;
  CheckpointWriter writer_;
  int64_t saved_step_;
  TimePoint saved_at_ = Clock::now();
};

}  // namespace lockstep
