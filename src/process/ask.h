// ask.h: a short question to another program: what it prints until it ends.
#pragma once

#include <string>
#include <vector>

#include "base/time.h"

namespace lockstep {

struct CommandAnswer {
  bool found = false;              // there is such a program
  bool well = false;               // it ended as it should, in time
  std::vector<std::string> lines;  // of its stdout
  std::string complaint = {};      // when it did not: why, in its own last words or in ours
};

CommandAnswer ask(const std::vector<std::string>& argv, Seconds patience);

}  // namespace lockstep
