#include "run/step_reporter.h"

#include <ostream>

#include "measure/statistics.h"
#include "report/render/console.h"

namespace lockstep {
namespace {

constexpr int kTracedStep = -2;  // warm enough, and not timed

}  // namespace

StepReporter::StepReporter(Context& context, const RunPlan& plan, Engine& engine,
                           const Group& group, StepAgreement& agreement, BenchmarkLog* log,
                           Summaries* summaries)
    : context_(context),
      plan_(plan),
      engine_(engine),
      log_(log),
      summaries_(summaries),
      who_(group.rank() == 0 ? "" : group.roster().who(group.rank())),
      agreement_(agreement),
      progress_(context) {
  if (plan.config.precision) rule_.emplace(*plan.config.precision);
  if (plan.config.profile) totals_.emplace(engine.ops().size());
  if (!plan.config.trace_file.empty()) timeline_.emplace(engine.ops().size());
}

void StepReporter::before_step(int step) {
  if (step == kTracedStep && timeline_) engine_.observe(&*timeline_);
  if (step == 1 && totals_) engine_.observe(&*totals_);
  if (first_step_) return;
  first_step_ = Clock::now();
  setup_ = *first_step_ - context_.start;
}

void StepReporter::after_step(int step, std::span<const StepRecord> timed) {
  if (step == kTracedStep) engine_.observe(nullptr);
  const bool shown = step > 0 && is_shown(plan_.config, step);
  const bool summarised = step > 0 && is_summarised(step);
  const bool looked = looks_at_precision(step, timed);
  if (shown || summarised || looked || agreement_.due(step)) {
    const StepRecord own = timed.empty() ? StepRecord{} : timed.back();
    const StepRecord all = agreement_.agree(step, own);
    if (shown && who_.empty()) show_step(timed, all);
    if (summarised && summaries_) {
      summaries_->step(all, plan_.facts.warmup_steps + step, speed_so_far(timed, all));
    }
    if (shown && !who_.empty() && plan_.config.verbose) show_own_step(timed);
  }
  show_progress(step);
}

void StepReporter::warmup_done() {
  progress_.clear();
  context_.out << "Done warm up\n" << column_titles(plan_.config) << std::flush;
}

void StepReporter::show_step(std::span<const StepRecord> timed, const StepRecord& last) {
  progress_.clear();
  context_.out << step_line(plan_.config, durations(timed), last) << std::flush;
  if (!log_) return;
  const int64_t global_step =
      plan_.resume_point.step + plan_.facts.warmup_steps + static_cast<int64_t>(timed.size());
  log_->metric("current_examples_per_sec", speed_so_far(timed, last), global_step);
  if (!plan_.config.print_training_accuracy) return;
  log_->metric("top_1_accuracy", last.losses.top_1_hits / static_cast<double>(last.images),
               global_step);
  log_->metric("top_5_accuracy", last.losses.top_5_hits / static_cast<double>(last.images),
               global_step);
}

bool StepReporter::looks_at_precision(int step, std::span<const StepRecord> timed) {
  if (!rule_ || step < 0 || !rule_->due(step)) return false;
  rule_->looked();
  if (who_.empty() && rule_->reached(timed)) agreement_.ask_to_end();
  return true;
}

bool StepReporter::is_summarised(int step) const {
  return !plan_.config.summary_dir.empty() && is_summary_step(plan_.config, step);
}

double StepReporter::speed_so_far(std::span<const StepRecord> timed, const StepRecord& last) const {
  return speed_of(durations(timed), last.images, plan_.config.display_perf_ewma.value_or(0.0)).mean;
}

void StepReporter::show_own_step(std::span<const StepRecord> timed) {
  context_.err << who_ << ": " << step_line(plan_.config, durations(timed), timed.back())
               << std::flush;
}

void StepReporter::show_progress(int step) {
  if (!who_.empty()) return;
  const int warmup = plan_.facts.warmup_steps, timed = plan_.facts.timed_steps;
  const int done = warmup + step + (step < 0 ? 1 : 0), all = warmup + timed;
  const Seconds remaining = seconds_since(*first_step_) / done * (all - done);
  const bool warming = step < 0;
  progress_.show(plan_.facts.model + (warming ? " warm-up" : ""), warming ? done : step,
                 warming ? warmup : timed, remaining);
}

}  // namespace lockstep
