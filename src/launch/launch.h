// launch.h: this process as the launcher of a run: it plans with the launcher that suits, and runs
// the plan, or only shows it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/program.h"
#include "launch/rank_placement.h"
#include "config/run_config.h"

namespace lockstep {

struct LaunchRequest {
  std::string command;   // "train"
  std::string name;      // of the run, in the name of its directory: "resnet50"
  const RunConfig& run;  // borrowed for the call
  // The command line that makes another process see this configuration.
  std::function<std::vector<std::string>(const RunConfig&)> arguments;
};

// Returns the exit code.
int launch(Context& context, const LaunchRequest& request, const RunPlaces& places);

}  // namespace lockstep
