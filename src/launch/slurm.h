// slurm.h: the Slurm launcher. Inside an allocation one srun starts all processes, each on its
// planned node. Outside, it submits a batch job whose script starts this program inside the
// allocation, and follows the job until it ends.
#pragma once

#include "launch/launch_plan.h"

namespace lockstep {

// Plans a batch job if `job` has batch arguments, else srun. Throws UsageError for an invalid
// --sbatch-option.
LaunchPlan plan_slurm(const LaunchJob& job);

// Environment for srun: share nodes with other steps. Inside a shell started by srun it would
// otherwise wait for that shell to end. (Older versions of srun ignore it.)
std::map<std::string, std::string> srun_environment();

// A line of the command that submits and waits.
struct BatchNews {
  std::string job;    // its number
  std::string state;  // as squeue writes it, or END
  std::string more;   // a reason; for END: state and exit code
};
BatchNews parse_batch_news(const std::string& line);

}  // namespace lockstep
