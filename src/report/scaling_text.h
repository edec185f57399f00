// scaling_text.h: the table of a sweep, for the console and as Markdown.
#pragma once

#include <string>

#include "report/scaling.h"

namespace lockstep {

std::string scaling_table(const ScalingReport& report);
std::string scaling_markdown(const ScalingReport& report);

}  // namespace lockstep
