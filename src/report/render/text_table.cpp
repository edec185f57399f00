#include "report/render/text_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep {
namespace {

// Pipes and ends of lines would end the cell; a name that somebody else chose must not become HTML.
std::string cell(const std::string& text) {
  std::string safe;
  for (const char letter : text) {
    if (letter == '|') {
      safe += "\\|";
    } else if (letter == '<') {
      safe += "&lt;";
    } else {
      safe += letter == '\n' ? ' ' : letter;
    }
  }
  return safe;
}

std::string markdown_row(const std::vector<std::string>& row) {
  std::string line = "|";
  for (const std::string& text : row) line += " " + cell(text) + " |";
  return line + "\n";
}

}  // namespace

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

std::string TextTable::markdown() const {
  std::vector<std::string> titles;
  std::string rule = "|";
  for (const Column& column : columns_) {
    titles.push_back(column.title);
    rule += column.align == Align::Left ? "---|" : "---:|";
  }
  std::string text = markdown_row(titles) + rule + "\n";
  for (const auto& row : rows_) text += markdown_row(row);
  return text;
}

}  // namespace lockstep
