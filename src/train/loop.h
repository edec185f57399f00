// loop.h: the training loop: warm-up steps, then timed steps, and an observer.
//
// Steps are numbered as they are shown: 1, 2, ... are timed; the warm-up before them counts down
// to -1. Warm-up steps train like the others and advance the global step.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "measure/step_meter.h"

namespace lockstep {

struct LoopPlan {
  int warmup_steps = 10;
  int timed_steps = 100;
  TimePoint start = Clock::now();  // that records count from
  int64_t first_global_step = 0;
};

// Why a loop ends before its planned steps.
enum class StopReason {
  None,
  Interrupted,  // by the user, or by a time limit
  GoalReached,  // the precision or accuracy that was asked for: as good as the planned end
};

// Watches from outside the steps. What it does after a step counts as that step's
// Phase::Between, unless it charges the meter otherwise.
class LoopObserver {
 public:
  virtual ~LoopObserver() = default;

  virtual void before_step(int step) = 0;
  // Whether after_step() of this step reads its losses. A device reports them a step later, unless
  // the loop waits for it.
  virtual bool wants_losses(int step) = 0;
  // `timed`: all timed steps so far; empty during warm-up.
  virtual void after_step(int step, std::span<const StepRecord> timed, StepMeter& meter) = 0;
  // After the last step, planned or not, once its time has ended: nothing is added to `timed`.
  virtual void steps_done(std::span<const StepRecord> timed) = 0;
  // After every step; after the last one, after steps_done(). Returns the time that belongs to no
  // step.
  virtual Seconds outside_steps() = 0;
  virtual void warmup_done() = 0;
  virtual StopReason stop_reason() = 0;  // asked after after_step() and after outside_steps()
};

struct LoopOutcome {
  std::vector<StepRecord> warmup, timed;
  Seconds total{};                     // of the timed steps
  StopReason stop = StopReason::None;  // None: all planned steps were done

  bool interrupted() const { return stop == StopReason::Interrupted; }
};

struct Step {
  // Records itself with begin_step() and end_step(). `global_step` counts from 0.
  std::function<void(StepMeter& meter, int64_t global_step)> run;
  // Waits for losses that are not complete yet.
  std::function<void(StepMeter& meter)> read_losses = [](StepMeter&) {};
};

LoopOutcome run_loop(const LoopPlan& plan, const Step& step, LoopObserver& observer);

}  // namespace lockstep
