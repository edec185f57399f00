// framework_problems.h: what a run with --framework does not support.
#pragma once

#include <string>
#include <vector>

#include "config/run_config.h"

namespace lockstep {

// One line per option; empty: fine. Throws UsageError when there is no such framework or mode.
std::vector<std::string> framework_problems(const RunConfig& run);

}  // namespace lockstep
