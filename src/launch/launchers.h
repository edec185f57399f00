// launchers.h: the table of launchers. Each only plans.
#pragma once

#include <span>
#include <string_view>

#include "config/run_config.h"
#include "launch/launch_plan.h"

namespace lockstep {

struct Launcher {
  std::string_view name;
  // With --launcher auto the first that suits is taken.
  bool (*suits)(const RunConfig& run, bool in_allocation);
  LaunchPlan (*plan)(const LaunchJob& job);
  // Whether whoever launches keeps the store, so that every process is told where it is.
  bool (*keeps_store)(const LaunchJob& job);
  bool needs_version = false;   // of mpirun
  bool counts_workers = false;  // processes learn how many they are from whoever starts them
  bool here = false;            // all processes run on this machine
};

std::span<const Launcher> launchers();

// The one that --launcher names, or that suits. Throws UsageError for options that it cannot obey.
const Launcher& launcher_for(const RunConfig& run, bool in_allocation);

}  // namespace lockstep
