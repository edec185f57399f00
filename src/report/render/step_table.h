// step_table.h: the table of step time statistics by configuration.
#pragma once

#include <string>

#include "report/analysis/scaling.h"

namespace lockstep {

// Of all configurations with step times; empty: none has.
std::string step_table(const ScalingReport& report);
std::string step_markdown(const ScalingReport& report);

}  // namespace lockstep
