// step_table.h: how long steps took, by configuration: what a mean throughput does not show.
#pragma once

#include <string>

#include "report/analysis/scaling.h"

namespace lockstep {

// Of all configurations that tell about their steps; empty: none does.
std::string step_table(const ScalingReport& report);
std::string step_markdown(const ScalingReport& report);

}  // namespace lockstep
