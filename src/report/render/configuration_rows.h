// configuration_rows.h: every configuration of a report as one row, for other programs.
#pragma once

#include <string>

#include "config/json_fwd.h"
#include "report/analysis/scaling.h"

namespace lockstep {

// Efficiencies are fractions. Cells are empty where a value is unknown.
std::string configurations_csv(const ScalingReport& report);

// A list of objects with the columns of the CSV as keys; null where a value is unknown.
Json configurations_json(const ScalingReport& report);

}  // namespace lockstep
