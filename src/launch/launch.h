// launch.h: launches a run: plans it with the suitable launcher, then executes the plan, or prints
// it for --dry-run.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/context.h"
#include "config/run_config.h"
#include "launch/launch_plan.h"
#include "launch/rank_placement.h"

namespace lockstep {

// Checks the hosts of a plan before the run starts. Throws Error with all problems, Interrupted
// when `interrupted` returns true.
using HostCheck = std::function<void(Context& context, const LaunchPlan& plan, const LaunchJob& job,
                                     const std::function<bool()>& interrupted)>;

struct LaunchRequest {
  std::string command;   // "train"
  std::string name;      // of the run, in the name of its directory: "resnet50"
  const RunConfig& run;  // borrowed for the call
  // The command line that makes another process see this configuration.
  std::function<std::vector<std::string>(const RunConfig&)> arguments;
  HostCheck check_hosts;  // called after the program is on all hosts
};

// Returns the exit code.
int launch(Context& context, const LaunchRequest& request, const RankPlacement& placement);

}  // namespace lockstep
