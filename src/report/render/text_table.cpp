#include "report/render/text_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep {
namespace {

std::string padded(const std::string& text, size_t width, TextTable::Align align) {
  const std::string space(width - std::min(width, text_width(text)), ' ');
  return align == TextTable::Align::Left ? text + space : space + text;
}

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

// Bytes that continue a character of UTF-8 take no room.
size_t text_width(std::string_view text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char byte) { return (byte & 0xC0) != 0x80; }));
}

std::string TextTable::text() const {
  std::vector<std::string> titles;
  std::vector<size_t> widths;
  for (const Column& column : columns_) {
    titles.push_back(column.title);
    widths.push_back(text_width(column.title));
  }
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], text_width(row[i]));
  }
  const auto line = [&](const std::vector<std::string>& row) {
    std::string text;
    for (size_t i = 0; i < row.size(); ++i) {
      text += (i == 0 ? "" : "  ") + padded(row[i], widths[i], columns_[i].align);
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
