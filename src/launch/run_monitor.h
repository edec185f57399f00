// run_monitor.h: how the launcher talks with what it has started, until the run is over. There is
// one kind for processes of its own or of mpirun and srun, one for agents by ssh, one for a batch
// job.
#pragma once

#include <memory>

#include "base/context.h"
#include "base/exit_code.h"
#include "config/run_config.h"
#include "launch/launch_plan.h"
#include "process/run_commands.h"

namespace lockstep {

// What a run ends with when a process of it ended with this: that what was asked for cannot be had,
// or that somebody interrupted it, only the processes may know.
inline int code_of_run(int process_code) {
  return process_code == kUsage || process_code == kInterrupted ? process_code : kFailure;
}

class RunMonitor {
 public:
  virtual ~RunMonitor() = default;

  virtual Next hear(const OutputLine& line) = 0;
  virtual std::vector<StdinMessage> messages() = 0;  // as RunWatch's
  virtual Next poll() = 0;
  // Says what is left to say.
  virtual int exit_code(const PlanOutcome& outcome) = 0;
};

// Both are borrowed, and outlive the monitor.
std::unique_ptr<RunMonitor> monitor_processes(Context& context, const LaunchPlan& plan,
                                              const RunConfig& run);
std::unique_ptr<RunMonitor> monitor_agents(Context& context, const LaunchPlan& plan,
                                           const RunConfig& run);
std::unique_ptr<RunMonitor> monitor_batch(Context& context, const LaunchPlan& plan);

}  // namespace lockstep
