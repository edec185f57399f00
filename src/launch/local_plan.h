// local_plan.h: the launcher of this machine: copies of this program, each told its rank.
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
  std::string rank_variable;                            // that tells each its rank
  std::string directory = {};                           // to run in; empty: this one
};

std::vector<Command> plan_local(const LocalJob& job);

// All ranks on the one host of the job, which is this one.
LaunchPlan plan_this_machine(const LaunchJob& job);

}  // namespace lockstep
