// run_arguments.h: a configuration as the command line of `lockstep train`.
#pragma once

#include <string>
#include <vector>

#include "config/run_config.h"

namespace lockstep {

std::vector<std::string> train_arguments(const RunConfig& run);

// To be typed again: "lockstep train --model=alexnet ...", without what only changes what is
// written. The network is named even if it is the default one.
std::string train_command_line(const RunConfig& run);

}  // namespace lockstep
