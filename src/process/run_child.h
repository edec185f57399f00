// run_child.h: runs another program and waits for it.
#pragma once

#include <string>
#include <vector>

namespace lockstep {

// Its stdout goes to our stderr. Returns its exit code, or 128 + the signal that ended it. Throws
// Error if it cannot be started.
int run_child(const std::vector<std::string>& words);

}  // namespace lockstep
