// compare_text.h: a comparison as a table for the console, as Markdown, as JSON.
#pragma once

#include <string>

#include "report/analysis/compare.h"

namespace lockstep {

std::string compare_table(const CompareReport& report);
std::string compare_markdown(const CompareReport& report);
Json compare_to_json(const CompareReport& report);

}  // namespace lockstep
