#include "run/between_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace lockstep {
namespace {

EvaluationTimes times_of(const RunPlan& plan) {
  return {plan.config, plan.examples_per_epoch,
          int64_t{1} * plan.facts.batch_size * plan.facts.devices};
}

}  // namespace

BetweenSteps::BetweenSteps(Context& context, const RunPlan& plan, Group& group,
                           StepAgreement& agreement, BenchmarkLog* log, Summaries* summaries)
    : context_(context),
      plan_(plan),
      control_(group.control()),
      agreement_(agreement),
      log_(log),
      summaries_(summaries),
      evaluation_times_(times_of(plan)),
      step_(plan.resume_point.step) {
  if (!plan.config.train_dir.empty() && group.rank() == 0) schedule_.emplace(plan);
  if (evaluates_during_training(plan.config)) evaluator_.emplace(plan, group, context);
}

// On all workers alike. When seconds have passed, rank 0 alone knows; the others hear of it when
// all meet, within a step or about a second.
bool BetweenSteps::saves_now() {
  const RunConfig& run = plan_.config;
  if (run.train_dir.empty()) return false;
  if (run.save_model_steps) return step_ % *run.save_model_steps == 0;
  if (agreement_.alone()) return schedule_->time_has_come();
  if (agreement_.take_save_request()) return true;
  if (schedule_ && schedule_->time_has_come()) agreement_.ask_to_save();
  return false;
}

void BetweenSteps::save(const PausedReplica& replica) {
  std::future<void> saved;
  if (schedule_) saved = schedule_->save(step_, replica);
  meet_when(std::move(saved));
}

// Collective. A rank that continued alone would wait in the next step, and that time would count as
// communication. The ranks exchange signs of life, so that a long save is not taken for a stall.
void BetweenSteps::meet_when(std::future<void> saved) {
  const Seconds patience{std::min(1.0, plan_.config.stall_timeout / 4)};
  float writing[] = {1};
  while (writing[0] > 0) {
    const bool ready = !saved.valid() || saved.wait_for(patience) == std::future_status::ready;
    writing[0] = ready ? 0 : 1;
    if (control_.size() > 1) control_.all_reduce(writing);
  }
  if (saved.valid()) saved.get();
}

void BetweenSteps::after_step(const PausedReplica& replica) {
  ++step_;
  if (!saves_now()) return;
  const TimePoint begin = Clock::now();
  save(replica);
  checkpoint_time_ += seconds_since(begin);
}

Seconds BetweenSteps::outside_steps(const PausedReplica& replica) {
  if (!evaluator_ || !evaluation_times_.due(step_)) return Seconds{0};
  const TimePoint begin = Clock::now();
  evaluate_now(replica);
  return seconds_since(begin);
}

void BetweenSteps::evaluate_now(const PausedReplica& replica) {
  context_.out << fmt::format("Running evaluation at global_step {}\n", step_);
  evaluate(replica);
  const std::optional<double>& wanted = plan_.config.stop_at_top_1_accuracy;
  const bool reached = wanted && evaluations_.back().top_1_accuracy >= *wanted;
  if (reached) agreement_.reach_goal();
  context_.out << (reached ? fmt::format("Stopping, as eval accuracy at least {} was reached\n",
                                         *wanted)
                           : "Resuming training\n")
               << std::flush;
}

void BetweenSteps::finish(const PausedReplica& replica) {
  if (!plan_.config.train_dir.empty()) save_last(replica);
  if (!evaluator_) return;
  context_.out << "Done with training\n" << std::flush;
  if (!evaluations_.empty() && evaluations_.back().step == step_) return;
  context_.out << fmt::format("Running final evaluation at global_step {}\n", step_);
  evaluate(replica);
}

// However the run ended. Only rank 0 knows whether it has been saved already; when workers do not
// wait for each other, that one may lack what others have pushed since.
void BetweenSteps::save_last(const PausedReplica& replica) {
  const bool saves = schedule_ && (!schedule_->has(step_) || !plan_.config.cross_replica_sync);
  meet_when(saves ? schedule_->save(step_, replica) : std::future<void>());
  if (!saves) return;
  context_.err << fmt::format("checkpoint of step {} in {}\n", step_, plan_.config.train_dir);
}

void BetweenSteps::evaluate(const PausedReplica& replica) {
  const Evaluation& evaluation = evaluations_.emplace_back(evaluator_->evaluate(step_, replica));
  if (log_) log_evaluation(*log_, evaluation);
  if (summaries_) summaries_->evaluation(evaluation);
}

}  // namespace lockstep
