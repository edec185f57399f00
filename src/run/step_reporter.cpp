#include "run/step_reporter.h"

#include <numeric>
#include <ostream>

#include "base/run_event.h"
#include "measure/statistics.h"
#include "report/render/console.h"

namespace lockstep {
namespace {

constexpr int kTracedStep = -2;  // warm enough, and not timed

// Where the others' gradients are needed, time in an agreement is time that waiting for them would
// take anyway.
bool waits_for_others(const RunPlan& plan) {
  return plan.strategy->communicates && !plan.config.forward_only;
}

}  // namespace

StepReporter::StepReporter(Context& context, const RunPlan& plan, Engine& engine,
                           const Group& group, StepAgreement& agreement, BenchmarkLog* log,
                           Summaries* summaries)
    : context_(context),
      plan_(plan),
      engine_(engine),
      log_(log),
      summaries_(summaries),
      rank_(group.rank()),
      by_hand_(started_by_hand(plan.config)),
      waiting_(waits_for_others(plan) ? Phase::Communication : Phase::Between),
      agreement_(agreement),
      progress_(context) {
  if (group.local_rank() == 0) energy_.emplace();
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

bool StepReporter::wants_losses(int step) {
  return step > 0 && (is_shown(plan_.config, step) || is_summarised(step));
}

// The line of the last step waits until its time has ended: see steps_done().
void StepReporter::after_step(int step, std::span<const StepRecord> timed, StepMeter& meter) {
  if (step == kTracedStep) engine_.observe(nullptr);
  shown_ = step > 0 && is_shown(plan_.config, step);
  summarised_ = step > 0 && is_summarised(step);
  const bool looked = looks_at_precision(step, timed);
  // After the last step, too: the total of every rank then ends with the slowest.
  const bool last = step == plan_.facts.timed_steps;
  if (shown_ || summarised_ || looked || last || agreement_.due(step)) {
    const StepRecord own = timed.empty() ? StepRecord{} : timed.back();
    all_ = meter.timed(waiting_, [&] { return agreement_.agree(step, own); });
    meter.settle();
  }
  const bool reported = shown_ || summarised_;
  if (reported && !last && stop_reason() == StopReason::None) report_step(timed, durations(timed));
  show_progress(step);
}

// The run ends with the slowest worker, and so does the step of the last line. So the line has the
// throughput that the total has.
void StepReporter::steps_done(std::span<const StepRecord> timed) {
  if (gpu_) gpu_->stop();
  if (energy_) energy_->stop();
  if (timed.empty()) return;
  std::vector<double> times = durations(timed);
  const double own = std::accumulate(times.begin(), times.end(), 0.0);
  times.back() += agreement_.longest(Seconds(own)).count() - own;
  report_step(timed, times);
}

void StepReporter::report_step(std::span<const StepRecord> timed, Samples times) {
  if (shown_ && (rank_ == 0 || by_hand_)) show_step(timed.back(), times);
  if (summarised_ && summaries_) {
    const int step = static_cast<int>(timed.size());
    summaries_->step(all_, plan_.facts.warmup_steps + step, speed_so_far(times));
  }
  if (shown_) log_own_step(static_cast<int>(timed.size()), timed.back());
  shown_ = summarised_ = false;  // a run without others may be interrupted from here on
}

void StepReporter::warmup_done() {
  if (energy_) energy_->start();
  progress_.clear();
  context_.out << "Done warm up\n" << column_titles(plan_.config) << std::flush;
  if (gpu_) gpu_->start();
}

void StepReporter::show_step(const StepRecord& own, Samples times) {
  progress_.clear();
  context_.out << step_line(plan_.config, times, by_hand_ ? own : all_) << std::flush;
  if (log_) log_metrics(times);
}

void StepReporter::log_metrics(Samples times) {
  const int64_t global_step =
      plan_.resume_point.step + plan_.facts.warmup_steps + static_cast<int64_t>(times.size());
  log_->metric("current_examples_per_sec", speed_so_far(times), global_step);
  if (!plan_.config.print_training_accuracy) return;
  const double images = all_.images;
  log_->metric("top_1_accuracy", all_.losses.top_1_hits / images, global_step);
  log_->metric("top_5_accuracy", all_.losses.top_5_hits / images, global_step);
}

void StepReporter::log_own_step(int step, const StepRecord& own) {
  const std::string line = worker_line(rank_, std::chrono::system_clock::now(), step, own,
                                       reported_loss(plan_.config, own.losses));
  report_log_line(context_, line, plan_.config.verbose);
}

bool StepReporter::looks_at_precision(int step, std::span<const StepRecord> timed) {
  if (!rule_ || step < 0 || !rule_->due(step)) return false;
  rule_->looked();
  if (rank_ == 0 && rule_->reached(timed)) agreement_.ask_to_end();
  return true;
}

bool StepReporter::is_summarised(int step) const {
  return !plan_.config.summary_dir.empty() && is_summary_step(plan_.config, step);
}

double StepReporter::speed_so_far(Samples times) const {
  return speed_of(times, all_.images, plan_.config.display_perf_ewma.value_or(0.0)).mean;
}

void StepReporter::show_progress(int step) {
  if (rank_ > 0) return;
  const int warmup = plan_.facts.warmup_steps, timed = plan_.facts.timed_steps;
  const int done = warmup + step + (step < 0 ? 1 : 0), all = warmup + timed;
  const Seconds remaining = seconds_since(*first_step_) / done * (all - done);
  const bool warming = step < 0;
  progress_.show(plan_.facts.model + (warming ? " warm-up" : ""), warming ? done : step,
                 warming ? warmup : timed, remaining);
}

}  // namespace lockstep
