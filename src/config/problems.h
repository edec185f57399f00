// problems.h: everything about a configuration that contradicts itself, found before anything
// runs.
//
// Single values are checked where they are read (run_options.h); these are the rules between
// options. Whether a network exists or a file can be written is not known here.
#pragma once

#include <string>
#include <vector>

#include "config/run_config.h"

namespace lockstep {

std::vector<std::string> problems_in(const RunConfig& run);  // one line each, in the user's words

}  // namespace lockstep
