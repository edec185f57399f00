// detail_charts.h: charts of single launches.
#pragma once

#include <vector>

#include "report/analysis/details.h"
#include "report/render/scaling_csv.h"

namespace lockstep {

// distribution.svg, steps.svg (over time) and stragglers.svg, if there is data for them.
std::vector<ReportFile> detail_charts(const ScalingReport& report,
                                      std::span<const LaunchDetails> launches);

}  // namespace lockstep
