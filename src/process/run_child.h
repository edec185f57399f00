// run_child.h: runs another program and waits for it.
#pragma once

#include <string>
#include <vector>

namespace lockstep {

struct ChildRun {
  std::vector<std::string> words;
  std::vector<std::string> variables = {};  // "NAME=VALUE", besides those of this process
  bool show_stdout = true;                  // on our stderr; false: nowhere
};

// Returns its exit code, or 128 + the signal that ended it. Throws Error if it cannot be started.
int run_child(const ChildRun& child);

}  // namespace lockstep
