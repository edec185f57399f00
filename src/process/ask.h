// ask.h: runs a short command and returns what it prints.
#pragma once

#include <string>
#include <vector>

#include "base/time.h"

namespace lockstep {

struct CommandAnswer {
  bool found = false;              // the program exists
  bool well = false;               // it exited with code 0 in time
  std::vector<std::string> lines;  // of its stdout
  std::string complaint = {};      // if not: its last line, or else our reason
};

CommandAnswer ask(const std::vector<std::string>& argv, Seconds patience);

}  // namespace lockstep
