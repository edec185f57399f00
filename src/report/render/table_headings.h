// table_headings.h: lines between the rows of a text table, for what is too long for a column.
#pragma once

#include <span>
#include <string>

#include "report/render/text_table.h"

namespace lockstep {

// headings[i] stands above row i, unless the row before has the same; empty: none.
std::string with_headings(const TextTable& table, std::span<const std::string> headings);

}  // namespace lockstep
