// launches_csv.h: all launches as CSV with a header, one line each.
#pragma once

#include <string>

#include "report/analysis/scaling.h"

namespace lockstep {

std::string launches_csv(const ScalingReport& report, std::span<const StoredRun> runs);

}  // namespace lockstep
