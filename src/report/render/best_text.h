// best_text.h: the table of the fastest configurations.
#pragma once

#include <span>
#include <string>

#include "report/analysis/best.h"
#include "report/render/text_table.h"

namespace lockstep {

std::string words_about(const BestRow& row);  // verdict on the runner-up
std::string best_table(const ScalingReport& report, std::span<const BestRow> rows,
                       TableWidth width = TableWidth::Terminal);
std::string best_markdown(const ScalingReport& report, std::span<const BestRow> rows);

}  // namespace lockstep
