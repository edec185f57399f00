// compact_tables.h: the tables of a sweep in at most 100 columns, for terminals.
//
// Intervals are ± half their width. Remarks are footnotes. Settings that would make a line too long
// are letters with a legend. scaling_text.h and step_table.h have the wide forms.
#pragma once

#include <string>

#include "report/analysis/scaling.h"
#include "report/analysis/verdicts.h"

namespace lockstep {

std::string rate_with_margin(const LaunchSummary& speed);  // "4.98 ± 0.12"
std::string ratio_with_margin(const Ratio& ratio);         // "1.667 ± 0.008"
std::string compact_scaling_table(const ScalingReport& report);
std::string compact_step_table(const ScalingReport& report);  // empty: no steps are known
std::string compact_ranking_tables(const ScalingReport& report, std::span<const Ranking> rankings);

}  // namespace lockstep
