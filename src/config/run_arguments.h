// run_arguments.h: the command line of `lockstep train` that gives a configuration back.
#pragma once

#include <string>
#include <vector>

#include "config/run_config.h"

namespace lockstep {

std::vector<std::string> train_arguments(const RunConfig& run);

}  // namespace lockstep
