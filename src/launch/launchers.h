// launchers.h: the table of launchers. Each only plans.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/run_config.h"
#include "launch/launch_plan.h"

namespace lockstep {

// Hosts of a run that names none.
enum class DefaultHosts {
  ThisMachine,
  Localhost,   // this machine, by the name that every mpirun knows
  Allocation,  // nodes of this Slurm allocation, or of one that is yet to be made
};

struct Launcher {
  std::string_view name;
  // With --launcher auto the first that suits is taken.
  bool (*suits)(const RunConfig& run, bool in_allocation);
  LaunchPlan (*plan)(const LaunchJob& job);
  // Whether whoever launches keeps the store, so that every process is told where it is.
  bool (*keeps_store)(const LaunchJob& job);
  // Why it cannot start this run, in the words of the command line; empty: it can.
  std::string_view (*problem)(const RunConfig& run);
  DefaultHosts default_hosts = DefaultHosts::ThisMachine;
  bool uses_agents = false;     // which keep the store and the token, and send files back
  bool needs_version = false;   // of mpirun
  bool counts_workers = false;  // processes learn how many they are from whoever starts them
  bool here = false;            // all processes run on this machine
};

std::span<const Launcher> launchers();

// The one that --launcher names, or that suits. Throws UsageError when there is no such launcher,
// or for options that it cannot obey.
const Launcher& launcher_for(const RunConfig& run, bool in_allocation);

// What the launcher that --launcher names cannot do; empty for auto.
std::vector<std::string> launcher_problems(const RunConfig& run);

}  // namespace lockstep
