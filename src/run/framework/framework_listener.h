// framework_listener.h: turns what a framework's adapter reports into records of steps, and prints
// step lines for rank 0.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/context.h"
#include "framework/framework_line.h"
#include "framework/frameworks.h"
#include "process/run_commands.h"
#include "report/results/run_result.h"
#include "run/framework/same_network.h"
#include "run/run_plan.h"

namespace lockstep {

class FrameworkListener {
 public:
  // Borrows all of it.
  FrameworkListener(const RunPlan& plan, const NativeCheck& native, int rank, Context& context);

  // Throws Error when a loss is not finite, or when it is another network that is trained.
  Next hear(const OutputLine& line);

  bool all_tried() const;  // every mode of the framework; throws Error when none can be used
  std::span<const FrameworkTrial> trials() const { return trials_; }
  void require_check() const;  // throws Error when losses or values were not checked
  void require_all() const;    // throws Error unless it greeted, trained all steps and was done
  bool trains() const { return !steps_.empty(); }
  std::string version() const { return hello_ ? hello_->version : ""; }  // empty: not known yet
  Seconds longest_step() const;
  Seconds silence() const;                 // since its last event
  std::optional<TimePoint> begin() const;  // of the first step
  Seconds aside() const;                   // spent on trials and checks, not on training
  std::optional<int64_t> peak_memory_bytes() const {
    return done_ ? done_->peak_memory_bytes : std::nullopt;
  }

  // All steps so far, since `start`. A step lasts until the next one begins.
  std::vector<StepRecord> records(TimePoint start) const;
  // What is known of the framework, in the result of rank 0. `mode`: as agreed, if it was tried.
  void describe(RunResult& result, const std::optional<std::string>& mode) const;

 private:
  void take(const HelloEvent& event);
  void take(const NetworkEvent& event);
  void take(const CheckEvent& event);
  void take(const TrialEvent& event);
  void take(const StepEvent& event);
  void take(const DoneEvent& event) { done_ = event; }

  void show(const StepEvent& event) const;

  const RunPlan& plan_;
  const Framework& framework_;
  const NativeCheck& native_;
  int rank_;
  Context& context_;
  std::optional<HelloEvent> hello_;
  std::optional<double> loss_difference_;
  std::optional<ValueCheck> values_;
  std::optional<DoneEvent> done_;
  std::vector<FrameworkTrial> trials_;
  std::vector<std::string> unusable_;  // modes, with the reason
  std::vector<StepEvent> steps_;
  TimePoint last_event_ = Clock::now();
  TimePoint greeted_ = last_event_, checked_ = last_event_;
};

}  // namespace lockstep
