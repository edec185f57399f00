// regressions_text.h: the comparison with a baseline, as console table and Markdown.
#pragma once

#include <string>

#include "report/analysis/regressions.h"
#include "report/render/text_table.h"

namespace lockstep {

// "REGRESSION", "same", "inconclusive: too few launches"
std::string verdict_text(const Comparison& row, const GateRules& rules);
std::string baseline_table(const BaselineReport& report, TableWidth width = TableWidth::Terminal);
std::string baseline_markdown(const BaselineReport& report);

}  // namespace lockstep
