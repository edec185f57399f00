// configurations_csv.h: every configuration of a report as CSV: one row each, with a header.
#pragma once

#include <string>

#include "report/analysis/scaling.h"

namespace lockstep {

// Efficiencies are fractions. Cells are empty where a value is unknown.
std::string configurations_csv(const ScalingReport& report);

}  // namespace lockstep
