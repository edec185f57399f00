// step_reporter.h: prints and records steps while a run is in progress.
//
// Rank 0 speaks for all workers, unless every process was started by hand (--job-name): then each
// prints its own steps, as in tf_cnn_benchmarks. In both cases every worker writes a line of its
// own to its log.
#pragma once

#include <memory>
#include <optional>

#include "base/context.h"
#include "measure/energy_trace.h"
#include "measure/gpu_watch.h"
#include "measure/precision_rule.h"
#include "report/render/progress.h"
#include "report/results/benchmark_log.h"
#include "run/group.h"
#include "run/run_plan.h"
#include "run/step_agreement.h"
#include "run/summaries.h"
#include "train/loop.h"
#include "train/op_recorder.h"

namespace lockstep {

class StepReporter : public LoopObserver {
 public:
  // Borrows all of it; `log` and `summaries` may be null, and are only rank 0's.
  StepReporter(Context& context, const RunPlan& plan, Engine& engine, const Group& group,
               StepAgreement& agreement, BenchmarkLog* log, Summaries* summaries);

  void before_step(int step) override;
  bool wants_losses(int step) override;
  void after_step(int step, std::span<const StepRecord> timed, StepMeter& meter) override;
  void steps_done(std::span<const StepRecord> timed) override;
  Seconds outside_steps() override { return {}; }
  void warmup_done() override;
  StopReason stop_reason() override { return agreement_.stop_reason(); }

  // From the end of the warm-up to that of the last step; null: there is no GPU.
  void watch(GpuWatch* gpu) { gpu_ = gpu; }

  Seconds setup() const { return setup_; }  // from the program's start to the first step
  // Of this host in the timed steps; null: another worker of it has it.
  const EnergyTrace* energy() const { return energy_ ? &*energy_ : nullptr; }
  const OpTotals* totals() const { return totals_ ? &*totals_ : nullptr; }          // of --profile
  const OpTimeline* timeline() const { return timeline_ ? &*timeline_ : nullptr; }  // of a trace

 private:
  bool is_summarised(int step) const;  // on all workers alike
  // Whether this is a step to look at the precision, on all workers alike; rank 0 says what it saw.
  bool looks_at_precision(int step, std::span<const StepRecord> timed);
  // `times`: the durations of `timed`, of the last one as this line counts it.
  void report_step(std::span<const StepRecord> timed, Samples times);
  double speed_so_far(Samples times) const;
  void show_step(const StepRecord& own, Samples times);
  void log_metrics(Samples times);
  void log_own_step(int step, const StepRecord& own);
  void show_progress(int step);

  Context& context_;
  const RunPlan& plan_;
  Engine& engine_;
  BenchmarkLog* log_;
  Summaries* summaries_;
  int rank_;
  bool by_hand_;
  Phase waiting_;  // what time in an agreement counts as
  StepAgreement& agreement_;
  std::optional<PrecisionRule> rule_;
  Progress progress_;
  std::optional<OpTotals> totals_;
  std::optional<OpTimeline> timeline_;
  std::optional<TimePoint> first_step_;
  GpuWatch* gpu_ = nullptr;  // borrowed
  StepRecord all_;           // the last step of all workers, as agreed
  bool shown_ = false;       // that step has a line,
  bool summarised_ = false;  // and a summary
  Seconds setup_{};
  std::optional<EnergyTrace> energy_;  // absent: another worker of this host has it
};

}  // namespace lockstep
