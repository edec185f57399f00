// launches_csv.h: all launches as one table for spreadsheets: a line each, with a header.
#pragma once

#include <string>

#include "report/analysis/scaling.h"

namespace lockstep {

std::string launches_csv(const ScalingReport& report, std::span<const StoredRun> runs);

}  // namespace lockstep
