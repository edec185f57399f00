#include "launch/launchers.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "launch/local_plan.h"
#include "launch/mpirun.h"
#include "launch/slurm.h"
#include "launch/ssh_plan.h"

namespace lockstep {
namespace {

bool never(const LaunchJob&) { return false; }

bool names_hosts(const RunConfig& run) { return !run.hosts.empty() || !run.worker_hosts.empty(); }

constexpr std::string_view kOnlySsh =
    "--worker-hosts: only --launcher ssh can place each worker on a given host";

std::string_view problem_of_local(const RunConfig& run) {
  if (names_hosts(run))
    return "--launcher local: runs on this machine only; use --launcher ssh for --hosts";
  return "";
}

std::string_view problem_of_slurm(const RunConfig& run) {
  if (!run.worker_hosts.empty()) return kOnlySsh;
  if (run.hosts.empty()) return "";
  return "--launcher slurm: Slurm chooses the hosts; use --sbatch-option=--nodelist=... to name "
         "them";
}

constexpr Launcher kLaunchers[] = {
    {.name = "ssh",
     .suits = [](const RunConfig& run, bool) { return names_hosts(run); },
     .plan = plan_ssh,
     .keeps_store = never,
     .problem = [](const RunConfig& run) -> std::string_view {
       return names_hosts(run) ? "" : "--launcher ssh needs --hosts";
     },
     .uses_agents = true},
    {.name = "slurm",
     .suits = [](const RunConfig& run,
                 bool in_allocation) { return in_allocation || !run.sbatch_option.empty(); },
     .plan = plan_slurm,
     .keeps_store = never,
     .problem = problem_of_slurm,
     .default_hosts = DefaultHosts::Allocation,
     .counts_workers = true},
    {.name = "mpirun",
     .suits = [](const RunConfig& run, bool) { return !run.mpirun_option.empty(); },
     .plan = plan_mpirun,
     .keeps_store =  // unless Open MPI connects the processes itself: they are linked with it
     [](const LaunchJob& job) { return !meet_by_mpi(job); },
     .problem = [](const RunConfig& run) -> std::string_view {
       return run.worker_hosts.empty() ? "" : kOnlySsh;
     },
     .default_hosts = DefaultHosts::Localhost,
     .needs_version = true,
     .counts_workers = true},
    {.name = "local",
     .suits = [](const RunConfig&, bool) { return true; },
     .plan = plan_this_machine,
     .keeps_store = [](const LaunchJob&) { return true; },
     .problem = problem_of_local,
     .here = true},
};

const Launcher* named_launcher(const std::string& name) {
  const auto* row = std::ranges::find(kLaunchers, name, &Launcher::name);
  return row == std::end(kLaunchers) ? nullptr : row;
}

const Launcher* suitable_launcher(const RunConfig& run, bool in_allocation) {
  return std::ranges::find_if(kLaunchers,
                              [&](const Launcher& each) { return each.suits(run, in_allocation); });
}

}  // namespace

std::span<const Launcher> launchers() { return kLaunchers; }

const Launcher& launcher_for(const RunConfig& run, bool in_allocation) {
  const Launcher* launcher =
      run.launcher == "auto" ? suitable_launcher(run, in_allocation) : named_launcher(run.launcher);
  if (!launcher) {
    std::vector<std::string_view> names;
    for (const Launcher& each : kLaunchers) names.push_back(each.name);
    throw UsageError("--launcher must be one of auto, {}, not '{}'", fmt::join(names, ", "),
                     run.launcher);
  }
  if (launcher->here && (run.nodes || run.ps_per_node)) {
    throw UsageError("--nodes and --ps-per-node need hosts; give --hosts or --launcher slurm");
  }
  return *launcher;
}

std::vector<std::string> launcher_problems(const RunConfig& run) {
  const Launcher* launcher = named_launcher(run.launcher);
  const std::string_view problem = launcher ? launcher->problem(run) : "";
  return problem.empty() ? std::vector<std::string>{} : std::vector{std::string(problem)};
}

}  // namespace lockstep
