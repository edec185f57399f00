// launch.h: this process as the launcher of a run: it plans with the launcher that suits, and runs
// the plan, or only shows it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/program.h"
#include "config/run_config.h"
#include "launch/placement.h"

namespace lockstep {

// Whether the run is one that somebody has to start the processes of. `alone`: no other process of
// it runs yet.
bool wants_launcher(const RunConfig& run, bool alone);

// Where its processes go: hosts that are given, nodes of the allocation, or this machine.
struct RunPlaces {
  std::vector<Host> hosts = {};
  std::vector<PlacedRank> ranks = {};
  int store_port = 0;
  bool in_allocation = false;
  bool submitted = false;  // nodes that Slurm has yet to choose
};
RunPlaces places_for(const RunConfig& run, const Surroundings& around);

struct LaunchRequest {
  std::string command;   // "train"
  const RunConfig& run;  // borrowed for the call
  // The command line that makes another process see this configuration.
  std::function<std::vector<std::string>(const RunConfig&)> arguments;
};

// Returns the exit code.
int launch(Surroundings& around, const LaunchRequest& request, const RunPlaces& places);

}  // namespace lockstep
