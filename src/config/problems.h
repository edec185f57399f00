// problems.h: options that contradict each other, found before anything runs.
//
// Single values are checked where they are read (run_options.h). What only networks know, such as
// their names and learning rates, is checked with them, and files where they are written.
#pragma once

#include <string>
#include <vector>

#include "config/run_config.h"

namespace lockstep {

std::vector<std::string> problems_in(const RunConfig& run);  // one line each, in the user's words

}  // namespace lockstep
