// device_options.h: the part of the table of options about devices, engines and number formats.
#pragma once

#include <vector>

#include "config/run_options.h"

namespace lockstep {

std::vector<RunOption> device_options();

}  // namespace lockstep
