#include "launch/launchers.h"

#include <algorithm>

#include "base/error.h"
#include "launch/local_plan.h"
#include "launch/mpirun.h"
#include "launch/slurm.h"
#include "launch/ssh_plan.h"

namespace lockstep {
namespace {

bool never(const LaunchJob&) { return false; }

constexpr Launcher kLaunchers[] = {
    {.name = "ssh",
     .suits = [](const RunConfig& run,
                 bool) { return !run.hosts.empty() || !run.worker_hosts.empty(); },
     .plan = plan_ssh,
     .keeps_store = never},
    {.name = "slurm",
     .suits = [](const RunConfig& run,
                 bool in_allocation) { return in_allocation || !run.sbatch_option.empty(); },
     .plan = plan_slurm,
     .keeps_store = never,
     .counts_workers = true},
    {.name = "mpirun",
     .suits = [](const RunConfig& run, bool) { return !run.mpirun_option.empty(); },
     .plan = plan_mpirun,
     .keeps_store =  // Open MPI connects the processes itself; they are linked with it
     [](const LaunchJob& job) { return mpi_kind(job.mpirun_version) == MpiKind::Mpich; },
     .needs_version = true,
     .counts_workers = true},
    {.name = "local",
     .suits = [](const RunConfig&, bool) { return true; },
     .plan = plan_this_machine,
     .keeps_store = [](const LaunchJob&) { return true; },
     .here = true},
};

}  // namespace

std::span<const Launcher> launchers() { return kLaunchers; }

const Launcher& launcher_for(const RunConfig& run, bool in_allocation) {
  const Launcher& launcher = *std::ranges::find_if(kLaunchers, [&](const Launcher& each) {
    return run.launcher == "auto" ? each.suits(run, in_allocation) : each.name == run.launcher;
  });
  if (launcher.name == "local" && (run.nodes || run.ps_per_node)) {
    throw UsageError("--nodes and --ps-per-node are about hosts: give --hosts or --launcher slurm");
  }
  return launcher;
}

}  // namespace lockstep
