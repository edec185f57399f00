// detail_charts.h: pictures of single launches.
#pragma once

#include <vector>

#include "report/analysis/details.h"
#include "report/render/scaling_csv.h"

namespace lockstep {

// distribution.svg, steps.svg (over time) and stragglers.svg, as far as there is anything to draw.
std::vector<ReportFile> detail_charts(const ScalingReport& report,
                                      std::span<const LaunchDetails> launches);

}  // namespace lockstep
