// checkpoint_schedule.h: decides when a run writes checkpoints, and writes them.
#pragma once

#include <future>

#include "run/run_plan.h"
#include "train/capture.h"
#include "train/checkpoint_files.h"

namespace lockstep {

// A replica between two steps; borrowed.
struct PausedReplica {
  Engine& engine;
  const ParameterArena& arena;
  Strategy& strategy;
};

// Of rank 0 alone.
class CheckpointSchedule {
 public:
  explicit CheckpointSchedule(const RunPlan& plan);  // borrows it

  bool time_has_come() const;                                   // by --save-model-secs
  bool has(int64_t step) const { return step == saved_step_; }  // the last one is of this step
  // Everything is copied when it returns, and written in a thread when the future is ready; it
  // has the Error. `step`: updates so far.
  std::future<void> save(int64_t step, const PausedReplica& replica);

 private:
  const RunPlan& plan_;
  CheckpointWriter writer_;
  DirectoryLock lock_;  // half-written files of another process are not removed
  int64_t saved_step_;
  TimePoint saved_at_ = Clock::now();
};

}  // namespace lockstep
