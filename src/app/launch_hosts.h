// launch_hosts.h: this process as the launcher of a run on other hosts, by ssh.
//
// It brings the program to every host and starts one agent on each, which runs the ranks there and
// ends them when this process is gone. The agent of rank 0's host keeps the store; when it listens,
// all begin.
#pragma once

#include "app/program.h"
#include "config/run_config.h"

namespace lockstep {

// Returns the exit code.
int launch_hosts(Surroundings& around, const RunConfig& run);

}  // namespace lockstep
