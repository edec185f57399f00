// pivot_text.h: a pivot of images/sec as console tables, as Markdown and as CSV.
#pragma once

#include <string>

#include "report/analysis/pivot.h"
#include "report/render/text_table.h"

namespace lockstep {

// One table for each combination of the other axes, below a line that names it. `-`: not measured.
std::string pivot_tables(const Pivot& pivot, const ScalingReport& report,
                         TableWidth width = TableWidth::Terminal);
std::string pivot_markdown(const Pivot& pivot, const ScalingReport& report);

// One table: the other axes, the axis of the rows, and a column for each value of the other axis.
std::string pivot_csv(const Pivot& pivot, const ScalingReport& report);

}  // namespace lockstep
