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
#include "run/run_plan.h"

namespace lockstep {

class FrameworkListener {
 public:
  // Borrows all of it.
  FrameworkListener(const RunPlan& plan, const Framework& framework, int rank, Context& context);

  Next hear(const OutputLine& line);  // throws Error when a loss is not finite

  bool all_tried() const;  // every mode of the framework
  std::span<const TrialEvent> trials() const { return trials_; }
  const std::vector<double>& losses() const { return check_.losses; }
  std::optional<int64_t> peak_memory_bytes() const { return done_.peak_memory_bytes; }

  // All steps so far, since `start`. A step lasts until the next one begins.
  std::vector<StepRecord> records(TimePoint start) const;
  // What is known of the framework, in the result of rank 0. `mode`: as agreed, if it was tried.
  void describe(RunResult& result, const std::optional<std::string>& mode) const;

 private:
  void take(const HelloEvent& event) { hello_ = event; }
  void take(const NetworkEvent& event);
  void take(const CheckEvent& event) { check_ = event; }
  void take(const TrialEvent& event);
  void take(const StepEvent& event);
  void take(const DoneEvent& event) { done_ = event; }

  const RunPlan& plan_;
  const Framework& framework_;
  int rank_;
  Context& context_;
  HelloEvent hello_;
  CheckEvent check_;
  DoneEvent done_;
  std::vector<TrialEvent> trials_;
  std::vector<StepEvent> steps_;
};

}  // namespace lockstep
