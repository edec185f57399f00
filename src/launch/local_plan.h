// local_plan.h: the local launcher: one process of this program per rank.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "launch/launch_plan.h"
#include "process/command.h"

namespace lockstep {

struct LocalJob {
  std::vector<std::string> argv;                        // of every process
  std::vector<int> ranks;                               // one process each
  std::string host;                                     // this machine's name, for messages
  std::map<std::string, std::string> environment = {};  // of every process
  std::string rank_variable;                            // environment variable for the rank
  std::string directory = {};                           // to run in; empty: this one
};

std::vector<Command> plan_local(const LocalJob& job);

// All ranks on this machine, the only host of the job.
LaunchPlan plan_this_machine(const LaunchJob& job);

}  // namespace lockstep
