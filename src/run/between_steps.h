// between_steps.h: what a training run does between steps: checkpoints, evaluations and their
// messages.
#pragma once

#include <optional>

#include "base/context.h"
#include "config/evaluation_times.h"
#include "run/checkpoint_schedule.h"
#include "run/evaluator.h"
#include "run/group.h"
#include "run/step_agreement.h"
#include "run/summaries.h"
#include "train/loop.h"

namespace lockstep {

class BetweenSteps {
 public:
  // Borrows all of it; `log` and `summaries` may be null.
  BetweenSteps(Context& context, const RunPlan& plan, Group& group, StepAgreement& agreement,
               BenchmarkLog* log, Summaries* summaries);

  // These on all workers alike. After the agreement of that step, if it had one.
  void after_step(const PausedReplica& replica);
  // Returns the time of an evaluation, which is no part of training.
  Seconds outside_steps(const PausedReplica& replica);
  void warmup_done() { checkpoint_time_ = Seconds{0}; }
  void finish(const PausedReplica& replica);  // after the last step

  Seconds checkpoint_time() const { return checkpoint_time_; }  // since the warm-up
  const std::vector<Evaluation>& evaluations() const { return evaluations_; }

 private:
  bool saves_now();
  void save(const PausedReplica& replica);
  void meet_when(std::future<void> saved);
  void save_last(const PausedReplica& replica);
  void evaluate_now(const PausedReplica& replica);
  void evaluate(const PausedReplica& replica);

  Context& context_;
  const RunPlan& plan_;
  Communicator& control_;
  StepAgreement& agreement_;
  BenchmarkLog* log_;
  Summaries* summaries_;
  EvaluationTimes evaluation_times_;
  int64_t step_;  // updates so far
  std::optional<CheckpointSchedule> schedule_;
  std::optional<Evaluator> evaluator_;
  std::vector<Evaluation> evaluations_;
  Seconds checkpoint_time_{};
};

// Adds BetweenSteps to another observer.
class BetweenStepsObserver : public LoopObserver {
 public:
  // Borrows all of it; `between_steps` may be null.
  BetweenStepsObserver(LoopObserver& observer, BetweenSteps* between_steps,
                       const PausedReplica& replica)
      : observer_(observer), between_steps_(between_steps), replica_(replica) {}

  void before_step(int step) override { observer_.before_step(step); }
  bool wants_losses(int step) override { return observer_.wants_losses(step); }
  void after_step(int step, std::span<const StepRecord> timed, StepMeter& meter) override {
    observer_.after_step(step, timed, meter);
    if (between_steps_) between_steps_->after_step(replica_);
  }
  void steps_done(std::span<const StepRecord> timed) override { observer_.steps_done(timed); }
  Seconds outside_steps() override {
    const Seconds more = between_steps_ ? between_steps_->outside_steps(replica_) : Seconds{};
    return observer_.outside_steps() + more;
  }
  void warmup_done() override {
    observer_.warmup_done();
    if (between_steps_) between_steps_->warmup_done();
  }
  StopReason stop_reason() override { return observer_.stop_reason(); }
  void finish() {
    if (between_steps_) between_steps_->finish(replica_);
  }

 private:
  LoopObserver& observer_;
  BetweenSteps* between_steps_;
  PausedReplica replica_;
};

}  // namespace lockstep
