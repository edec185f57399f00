// verdicts_text.h: verdicts along an axis and rankings, as console tables, Markdown and CSV.
#pragma once

#include <span>
#include <string>

#include "report/analysis/verdicts.h"
#include "report/render/text_table.h"

namespace lockstep {

// "faster", "no significant difference", "inconclusive: too few launches ..."
std::string words_on(const Comparison& difference);

std::string verdict_tables(const AxisVerdicts& verdicts, TableWidth width = TableWidth::Terminal);
std::string verdict_markdown(const AxisVerdicts& verdicts);
std::string verdict_csv(const AxisVerdicts& verdicts);

std::string ranking_tables(const ScalingReport& report, std::span<const Ranking> rankings);
std::string ranking_markdown(const ScalingReport& report, std::span<const Ranking> rankings);

}  // namespace lockstep
