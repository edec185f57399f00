// scaling_charts.h: the scaling charts of a sweep.
#pragma once

#include <vector>

#include "report/analysis/scaling.h"
#include "report/render/scaling_csv.h"

namespace lockstep {

// comparison_graph.svg (speed-up), throughput.svg, efficiency.svg, breakdown.svg.
std::vector<ReportFile> scaling_charts(const ScalingReport& report);

}  // namespace lockstep
