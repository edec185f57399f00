#include "train/loop.h"

#include <algorithm>

namespace lockstep {

LoopOutcome run_loop(const LoopPlan& plan, const Step& step, LoopObserver& observer) {
  StepMeter meter(int64_t{plan.warmup_steps} + plan.timed_steps, plan.start);
  LoopOutcome outcome;
  int64_t global_step = plan.first_global_step;
  const auto run = [&](int number) {
    observer.before_step(number);
    step.run(meter, global_step++);
    if (observer.wants_losses(number)) step.read_losses(meter);
    const size_t warmup = static_cast<size_t>(plan.warmup_steps);
    const auto timed = meter.records().subspan(std::min(warmup, meter.records().size()));
    observer.after_step(number, timed, meter);
    if (number == plan.timed_steps || observer.stop_reason() != StopReason::None) {
      step.read_losses(meter);
      meter.close();
      observer.steps_done(timed);
    }
    meter.exclude(observer.outside_steps());
    outcome.stop = observer.stop_reason();
  };

  const auto goes_on = [&] { return outcome.stop == StopReason::None; };
  for (int i = -plan.warmup_steps; i < 0 && goes_on(); ++i) run(i);
  meter.close();
  if (goes_on()) observer.warmup_done();
  int timed = 0;
  while (timed < plan.timed_steps && goes_on()) run(++timed);
  meter.close();
  if (timed == plan.timed_steps) outcome.stop = StopReason::None;  // too late to cut anything short

  const auto records = meter.records();
  outcome.warmup.assign(records.begin(), records.end() - timed);
  outcome.timed.assign(records.end() - timed, records.end());
  for (const StepRecord& each : outcome.timed) outcome.total += each.duration;
  return outcome;
}

}  // namespace lockstep
