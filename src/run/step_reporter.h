// step_reporter.h: prints and records steps while a run is in progress.
#pragma once

#include <memory>
#include <optional>

#include "base/context.h"
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
  void after_step(int step, std::span<const StepRecord> timed) override;
  void warmup_done() override;
  StopReason stop_reason() override { return agreement_.stop_reason(); }

  Seconds setup() const { return setup_; }  // from the program's start to the first step
  const OpTotals* totals() const { return totals_ ? &*totals_ : nullptr; }          // of --profile
  const OpTimeline* timeline() const { return timeline_ ? &*timeline_ : nullptr; }  // of a trace

 private:
  bool is_summarised(int step) const;  // on all workers alike
  // Whether this is a step to look at the precision, on all workers alike; rank 0 says what it saw.
  bool looks_at_precision(int step, std::span<const StepRecord> timed);
  // `last`: of all workers.
  double speed_so_far(std::span<const StepRecord> timed, const StepRecord& last) const;
  void show_step(std::span<const StepRecord> timed, const StepRecord& last);
  void show_own_step(std::span<const StepRecord> timed);  // of a rank that does not speak for all
  void show_progress(int step);

  Context& context_;
  const RunPlan& plan_;
  Engine& engine_;
  BenchmarkLog* log_;
  Summaries* summaries_;
  std::string who_;  // "rank 1 (node2)"; empty: this is rank 0
  StepAgreement& agreement_;
  std::optional<PrecisionRule> rule_;
  Progress progress_;
  std::optional<OpTotals> totals_;
  std::optional<OpTimeline> timeline_;
  std::optional<TimePoint> first_step_;
  Seconds setup_{};
};

}  // namespace lockstep
