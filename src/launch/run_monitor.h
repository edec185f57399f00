// run_monitor.h: monitors what the launcher has started until the run has ended. One kind for
// processes of its own, of mpirun and of srun; one for ssh agents; one for a batch job.
#pragma once

#include <memory>

#include "base/context.h"
#include "base/exit_code.h"
#include "config/run_config.h"
#include "launch/launch_plan.h"
#include "process/run_commands.h"

namespace lockstep {

// Exit code of a run for the exit code of a failed process. Only the process may know that the
// request was invalid or that the run was interrupted.
inline int code_of_run(int process_code) {
  return process_code == kUsage || process_code == kInterrupted ? process_code : kFailure;
}

class RunMonitor {
 public:
  virtual ~RunMonitor() = default;

  virtual Next hear(const OutputLine& line) = 0;
  virtual std::vector<StdinMessage> messages() = 0;  // as RunWatch's
  virtual Next poll() = 0;
  // Prints the remaining messages.
  virtual int exit_code(const PlanOutcome& outcome) = 0;
};

// `plan` and `run` are borrowed and outlive the monitor.
std::unique_ptr<RunMonitor> monitor_processes(Context& context, const LaunchPlan& plan,
                                              const RunConfig& run);
std::unique_ptr<RunMonitor> monitor_agents(Context& context, const LaunchPlan& plan,
                                           const RunConfig& run);
std::unique_ptr<RunMonitor> monitor_batch(Context& context, const LaunchPlan& plan);

}  // namespace lockstep
