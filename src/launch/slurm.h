// slurm.h: the launcher of Slurm. Inside an allocation one srun starts all processes, each on the
// node that it is planned for. Outside, a batch job is submitted that does the same: its script
// starts this program inside the allocation, and whoever submitted it waits and follows.
#pragma once

#include "launch/launch_plan.h"

namespace lockstep {

// Submits it if the job has arguments for a launcher inside. Throws UsageError for an option of
// sbatch that is no line.
LaunchPlan plan_slurm(const LaunchJob& job);

// What srun is told besides: to share nodes with other steps. In a shell that srun itself has given
// out it would wait for the end of that shell. (An srun that does not know the wish ignores it.)
std::map<std::string, std::string> srun_environment();

// What the command that submits and waits says.
struct BatchNews {
  std::string job;    // its number
  std::string state;  // as squeue writes it, or END
  std::string more;   // a reason; of END: state and exit code
};
BatchNews parse_batch_news(const std::string& line);

}  // namespace lockstep
