// local.h: the launcher of this machine: so many copies of this program, each told its rank.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "launch/command.h"

namespace lockstep {

struct LocalJob {
  std::vector<std::string> argv;  // of every process
  int processes = 1;
  std::string host;                                     // this machine's name, for messages
  std::map<std::string, std::string> environment = {};  // of every process
  std::string rank_variable;                            // that tells each its rank
};

std::vector<Command> plan_local(const LocalJob& job);

}  // namespace lockstep
