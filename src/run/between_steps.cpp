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

Upkeep::Upkeep(Context& context, const RunPlan& plan, Crew& crew, Pulse& pulse, BenchmarkLog* log,
               Summaries* summaries)
    : context_(context),
      plan_(plan),
      control_(crew.control()),
      pulse_(pulse),
      log_(log),
      summaries_(summaries),
      evaluation_times_(times_of(plan)),
      step_(plan.beginning.step) {
  if (!plan.config.train_dir.empty() && crew.rank() == 0) keeper_.emplace(plan);
  if (evaluates_during_training(plan.config)) evaluator_.emplace(plan, crew, context);
}

// On all workers alike. When seconds have passed, rank 0 alone knows; the others hear of it when
// all meet, within a step or about a second.
bool Upkeep::saves_now() {
  const RunConfig& run = plan_.config;
  if (run.train_dir.empty()) return false;
  if (run.save_model_steps) return step_ % *run.save_model_steps == 0;
  if (pulse_.alone()) return keeper_->time_has_come();
  if (pulse_.take_wish_to_save()) return true;
  if (keeper_ && keeper_->time_has_come()) pulse_.ask_to_save();
  return false;
}

void Upkeep::save(const AtRest& replica) {
  std::future<void> saved;
  if (keeper_) saved = keeper_->save(step_, replica);
  meet_when(std::move(saved));
}

// Collective. Whoever went on alone would wait in the next step, which would be taken for
// communication. However long it takes, nobody is silent for long enough to look dead.
void Upkeep::meet_when(std::future<void> saved) {
  const Seconds patience{std::min(1.0, plan_.config.stall_timeout / 4)};
  float writing[] = {1};
  while (writing[0] > 0) {
    const bool ready = !saved.valid() || saved.wait_for(patience) == std::future_status::ready;
    writing[0] = ready ? 0 : 1;
    if (control_.size() > 1) control_.all_reduce(writing);
  }
  if (saved.valid()) saved.get();
}

void Upkeep::after_step(const AtRest& replica) {
  ++step_;
  if (saves_now()) {
    const TimePoint begin = Clock::now();
    save(replica);
    checkpoint_time_ += seconds_since(begin);
  }
  if (evaluator_ && evaluation_times_.due(step_)) evaluate_now(replica);
}

void Upkeep::evaluate_now(const AtRest& replica) {
  context_.out << fmt::format("Running evaluation at global_step {}\n", step_);
  evaluate(replica);
  const std::optional<double>& wanted = plan_.config.stop_at_top_1_accuracy;
  good_enough_ = wanted && evaluations_.back().top_1_accuracy >= *wanted;
  context_.out << (good_enough_
                       ? fmt::format("Stopping, as eval accuracy at least {} was reached\n",
                                     *wanted)
                       : "Resuming training\n")
               << std::flush;
}

void Upkeep::finish(const AtRest& replica) {
  if (!plan_.config.train_dir.empty()) save_last(replica);
  if (!evaluator_) return;
  context_.out << "Done with training\n" << std::flush;
  if (!evaluations_.empty() && evaluations_.back().step == step_) return;
  context_.out << fmt::format("Running final evaluation at global_step {}\n", step_);
  evaluate(replica);
}

// However the run ended. Only rank 0 knows whether it has been saved already; when workers do not
// wait for each other, that one may lack what others have pushed since.
void Upkeep::save_last(const AtRest& replica) {
  const bool saves = keeper_ && (!keeper_->has(step_) || !plan_.config.cross_replica_sync);
  meet_when(saves ? keeper_->save(step_, replica) : std::future<void>());
  if (!saves) return;
  context_.err << fmt::format("checkpoint of step {} in {}\n", step_, plan_.config.train_dir);
}

void Upkeep::evaluate(const AtRest& replica) {
  const TimePoint begin = Clock::now();
  const Evaluation& evaluation = evaluations_.emplace_back(evaluator_->evaluate(step_, replica));
  if (log_) log_evaluation(*log_, evaluation);
  if (summaries_) summaries_->evaluation(evaluation);
  evaluation_time_ += seconds_since(begin);
}

}  // namespace lockstep
