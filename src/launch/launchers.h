// launchers.h: the table of launchers. A launcher only writes plans.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/run_config.h"
#include "launch/launch_plan.h"

namespace lockstep {

// Hosts of a run without --hosts.
enum class DefaultHosts {
  ThisMachine,
  Localhost,   // this machine, by a name that every mpirun accepts
  Allocation,  // nodes of this Slurm allocation, or of a job to submit
};

struct Launcher {
  std::string_view name;
  // --launcher auto takes the first suitable launcher.
  bool (*suits)(const RunConfig& run, bool in_allocation);
  LaunchPlan (*plan)(const LaunchJob& job);
  // Whether this process runs the store and passes its address to every process.
  bool (*keeps_store)(const LaunchJob& job);
  // Why it cannot start this run, for the user; empty: it can.
  std::string_view (*problem)(const RunConfig& run);
  DefaultHosts default_hosts = DefaultHosts::ThisMachine;
  bool uses_agents = false;     // agents run the store, pass on the token and send files back
  bool needs_version = false;   // of mpirun
  bool counts_workers = false;  // processes get their number from the program that starts them
  bool here = false;            // all processes run on this machine
};

std::span<const Launcher> launchers();

// The launcher of --launcher, or the first suitable one. Throws UsageError for an unknown launcher
// or options that it does not support.
const Launcher& launcher_for(const RunConfig& run, bool in_allocation);

// Options that the launcher of --launcher does not support; empty for auto.
std::vector<std::string> launcher_problems(const RunConfig& run);

}  // namespace lockstep
