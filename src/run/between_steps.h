// between_steps.h: what a training run does between its steps besides training: checkpoints, evaluations,
// and what is told of them.
#pragma once

#include <optional>

#include "run/checkpoint_schedule.h"
#include "run/group.h"
#include "run/evaluator.h"
#include "base/context.h"
#include "run/step_agreement.h"
#include "run/summaries.h"
#include "config/evaluation_times.h"
#include "train/loop.h"

namespace lockstep {

class Upkeep {
 public:
  // Borrows all of it; `log` and `summaries` may be null.
  Upkeep(Context& context, const RunPlan& plan, Crew& crew, Pulse& pulse, BenchmarkLog* log,
         Summaries* summaries);

  // These on all workers alike.
  void after_step(const AtRest& replica);  // and after the pulse of that step, if it had one
  void warmup_done() { evaluation_time_ = checkpoint_time_ = Seconds{0}; }
  bool wants_stop() const { return good_enough_; }
  void finish(const AtRest& replica);  // after the last step

  // Since the warm-up, until the last step.
  Seconds evaluation_time() const { return evaluation_time_; }
  Seconds checkpoint_time() const { return checkpoint_time_; }
  const std::vector<Evaluation>& evaluations() const { return evaluations_; }

 private:
  bool saves_now();
  void save(const AtRest& replica);
  void meet_when(std::future<void> saved);
  void save_last(const AtRest& replica);
  void evaluate_now(const AtRest& replica);
  void evaluate(const AtRest& replica);

  Context& context_;
  const RunPlan& plan_;
  Communicator& control_;
  Pulse& pulse_;
  BenchmarkLog* log_;
  Summaries* summaries_;
  EvaluationTimes evaluation_times_;
  int64_t step_;  // updates so far
  std::optional<CheckpointKeeper> keeper_;
  std::optional<Evaluator> evaluator_;
  std::vector<Evaluation> evaluations_;
  Seconds evaluation_time_{}, checkpoint_time_{};
  bool good_enough_ = false;
};

// An observer with an upkeep behind it.
class KeptUp : public LoopObserver {
 public:
  // Borrows all of it; `upkeep` may be null.
  KeptUp(LoopObserver& observer, Upkeep* upkeep, const AtRest& replica)
      : observer_(observer), upkeep_(upkeep), replica_(replica) {}

  void before_step(int step) override { observer_.before_step(step); }
  void after_step(int step, std::span<const StepRecord> timed) override {
    observer_.after_step(step, timed);
    if (upkeep_) upkeep_->after_step(replica_);
  }
  void warmup_done() override {
    observer_.warmup_done();
    if (upkeep_) upkeep_->warmup_done();
  }
  bool wants_stop() override { return observer_.wants_stop() || good_enough(); }
  bool good_enough() const { return upkeep_ && upkeep_->wants_stop(); }
  Seconds evaluation_time() const { return upkeep_ ? upkeep_->evaluation_time() : Seconds{0}; }
  void finish() {
    if (upkeep_) upkeep_->finish(replica_);
  }

 private:
  LoopObserver& observer_;
  Upkeep* upkeep_;
  AtRest replica_;
};

}  // namespace lockstep
