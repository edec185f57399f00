// checkpoint_keeper.h: when a run makes checkpoints: every so many steps or seconds, and at its
// end.
#pragma once

#include <future>

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

// Of rank 0 alone.
class CheckpointKeeper {
 public:
  explicit CheckpointKeeper(const RunPlan& plan);  // borrows it

  // Everything is copied when they return, and written in a thread when the future is ready; it
  // has the Error. `step`: updates so far. Without a future nothing is to be saved.
  std::future<void> after_step(int64_t step, const AtRest& replica);
  std::future<void> finish(int64_t step, const AtRest& replica);  // however the run ended

 private:
  bool due(int64_t step) const;
  std::future<void> save(int64_t step, const AtRest& replica);

  const RunPlan& plan_;
  CheckpointWriter writer_;
  int64_t saved_step_;
  TimePoint saved_at_ = Clock::now();
};

}  // namespace lockstep
