// scaling_text.h: the table of a sweep, for the console and as Markdown.
#pragma once

#include <string>

#include "report/analysis/scaling.h"

namespace lockstep {

// Speeds: without speed-up and scaling efficiency, for configurations that are alternatives and not
// points of a scaling curve.
enum class TableOf { Scaling, Speeds };
std::string scaling_table(const ScalingReport& report, TableOf what = TableOf::Scaling);
std::string scaling_markdown(const ScalingReport& report);

}  // namespace lockstep
