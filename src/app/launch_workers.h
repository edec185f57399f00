// launch_workers.h: this process as the launcher of a run: it starts the workers and servers on
// this machine, shows what rank 0 says, and ends them all.
#pragma once

#include <span>
#include <string>

#include "app/program.h"

namespace lockstep {

struct LaunchedJob {
  std::string command;                     // "train"
  std::span<const std::string> arguments;  // as the user wrote them
  int processes = 1;
  bool verbose = false;  // show what every process says
  std::string log_dir = {};
};

// Returns the exit code. What a failed process said last is shown, and why it ended.
int launch_workers(Surroundings& around, const LaunchedJob& job);

}  // namespace lockstep
