#include "report/text_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep {

std::string TextTable::text() const {
  std::vector<std::string> titles;
  std::vector<size_t> widths;
  for (const Column& column : columns_) {
    titles.push_back(column.title);
    widths.push_back(column.title.size());
  }
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  const auto line = [&](const std::vector<std::string>& row) {
    std::string text;
    for (size_t i = 0; i < row.size(); ++i) {
      const bool left = columns_[i].align == Align::Left;
      text += fmt::format("{}{}", i == 0 ? "" : "  ",
                          left ? fmt::format("{:<{}}", row[i], widths[i])
                               : fmt::format("{:>{}}", row[i], widths[i]));
    }
    return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
  };
  std::string text = line(titles);
  for (const auto& row : rows_) text += line(row);
  return text;
}

}  // namespace lockstep
