#include "report/render/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <sstream>

#include "base/text.h"

namespace lockstep {
namespace {

constexpr size_t kLongWord = 30;    // longer ones are broken like lines
constexpr size_t kNarrowText = 12;  // columns of text are not narrower

// The bytes of the first characters.
size_t bytes_of(std::string_view text, size_t characters) {
  size_t bytes = 0;
  for (; bytes < text.size(); ++bytes) {
    const bool begins = (text[bytes] & 0xC0) != 0x80;
    if (begins && characters-- == 0) break;
  }
  return bytes;
}

// Lines of at most `width` characters, at spaces where there are any.
std::vector<std::string> broken(std::string text, size_t width) {
  std::vector<std::string> lines;
  while (text_width(text) > width) {
    const size_t most = bytes_of(text, width);
    const size_t space = text.rfind(' ', most);
    const bool at_space = space != std::string::npos && space > 0;
    lines.push_back(text.substr(0, at_space ? space : most));
    text.erase(0, at_space ? space + 1 : most);
  }
  lines.push_back(std::move(text));
  return lines;
}

size_t total(std::span<const size_t> widths) {
  return std::accumulate(widths.begin(), widths.end(), 2 * (widths.size() - 1));
}

size_t longest_word(const std::vector<std::vector<std::string>>& rows, size_t column) {
  size_t longest = 0;
  for (const auto& row : rows) {
    for (const std::string& word : split(row[column], ' ')) {
      longest = std::max(longest, text_width(word));
    }
  }
  return longest;
}

std::string padded(const std::string& text, size_t width, TextTable::Align align) {
  const std::string space(width - std::min(width, text_width(text)), ' ');
  return align == TextTable::Align::Left ? text + space : space + text;
}

std::string markdown_row(const std::vector<std::string>& row) {
  std::string line = "|";
  for (const std::string& text : row) line += " " + markdown_text(text) + " |";
  return line + "\n";
}

}  // namespace

std::string markdown_text(std::string_view text) {
  std::string safe;
  for (const char letter : text) {
    if (letter == '<') {
      safe += "&lt;";
      continue;
    }
    if (letter == '|' || letter == '[' || letter == '\\') safe += '\\';
    safe += letter == '\n' ? ' ' : letter;
  }
  return safe;
}

std::string markdown_item(std::string_view text) { return "- " + markdown_text(text) + "\n"; }

// Bytes that continue a character of UTF-8 take no room.
size_t text_width(std::string_view text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char byte) { return (byte & 0xC0) != 0x80; }));
}

std::string wrapped(const std::string& text, const std::string& indent, size_t width) {
  std::string result;
  for (std::string line : split(text, '\n')) {
    while (text_width(line) > width) {
      const size_t at = line.rfind(' ', width);  // bytes: at most as many characters
      if (at == std::string::npos || at <= indent.size()) break;
      result += line.substr(0, at) + "\n";
      line = indent + line.substr(at + 1);
    }
    result += line + "\n";
  }
  if (!text.ends_with('\n') || result.ends_with("\n\n")) result.pop_back();
  return result;
}

std::string fitted(const std::string& text, TableWidth width) {
  return width == TableWidth::Wide ? text : wrapped(text);
}

std::vector<size_t> TextTable::widths() const {
  std::vector<size_t> widths;
  for (const Column& column : columns_) widths.push_back(text_width(column.title));
  for (const Row& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], text_width(row[i]));
  }
  return widths;
}

// Numbers stay on one line.
std::vector<size_t> TextTable::least_widths() const {
  std::vector<size_t> widths;
  for (size_t i = 0; i < columns_.size(); ++i) {
    size_t least = 0;
    for (const std::string& word : split(columns_[i].title, ' ')) {
      least = std::max(least, text_width(word));
    }
    for (const Row& row : rows_) {
      const bool breaks = columns_[i].align == Align::Left;
      least =
          std::max(least, breaks ? std::min(text_width(row[i]), kNarrowText) : text_width(row[i]));
    }
    widths.push_back(least);
  }
  return widths;
}

std::string TextTable::lines_of(const Row& row, const std::vector<size_t>& widths) const {
  std::vector<Row> cells;
  size_t lines = 1;
  for (size_t i = 0; i < row.size(); ++i) {
    cells.push_back(broken(row[i], widths[i]));
    lines = std::max(lines, cells.back().size());
  }
  std::string text;
  for (size_t line = 0; line < lines; ++line) {
    std::string joined;
    for (size_t i = 0; i < cells.size(); ++i) {
      const std::string cell = line < cells[i].size() ? cells[i][line] : "";
      joined += (i == 0 ? "" : "  ") + padded(cell, widths[i], columns_[i].align);
    }
    text += joined.substr(0, joined.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string TextTable::text_of(const std::vector<size_t>& widths) const {
  Row titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  std::string text = lines_of(titles, widths);
  for (const Row& row : rows_) text += lines_of(row, widths);
  return text;
}

std::string TextTable::text() const { return text_of(widths()); }

TextTable TextTable::part(size_t begin, size_t end) const {
  const auto chosen = [&](const auto& all) {
    auto some = std::vector{all.front()};
    some.insert(some.end(), all.begin() + static_cast<std::ptrdiff_t>(begin),
                all.begin() + static_cast<std::ptrdiff_t>(end));
    return some;
  };
  TextTable table(chosen(columns_));
  for (const Row& row : rows_) table.add(chosen(row));
  return table;
}

std::string TextTable::text_within(size_t most_columns) const {
  std::vector<size_t> widths = this->widths();
  const std::vector<size_t> least = least_widths();
  size_t columns = columns_.size();
  while (columns > 2 && total(std::span(least).first(columns)) > most_columns) --columns;
  if (columns < columns_.size()) {
    return part(1, columns).text_within(most_columns) + "\n" +
           part(columns, columns_.size()).text_within(most_columns);
  }
  std::vector<size_t> longest;
  for (size_t i = 0; i < columns_.size(); ++i) longest.push_back(longest_word(rows_, i));
  // Takes from the widest columns of a kind. Words of at most so many characters stay whole.
  const auto narrow = [&](Align kind, size_t whole_words) {
    while (total(widths) > most_columns) {
      std::optional<size_t> widest;
      for (size_t i = 0; i < widths.size(); ++i) {
        const size_t floor = std::max(least[i], std::min(longest[i], whole_words));
        if (columns_[i].align != kind || widths[i] <= floor) continue;
        if (!widest || widths[i] > widths[*widest]) widest = i;
      }
      if (!widest) return;
      --widths[*widest];
    }
  };
  narrow(Align::Right, 0);  // titles of numbers: one line of the table
  narrow(Align::Left, kLongWord);
  narrow(Align::Left, 0);
  return text_of(widths);
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

std::string with_headings(const TextTable& table, std::span<const std::string> headings) {
  std::istringstream lines(table.text());
  std::string line, text;
  std::getline(lines, line);
  text = line + "\n";  // titles
  for (size_t i = 0; i < headings.size() && std::getline(lines, line); ++i) {
    const bool fresh = i == 0 || headings[i] != headings[i - 1];
    if (fresh && !headings[i].empty()) text += headings[i] + "\n";
    text += line + "\n";
  }
  return text;
}

}  // namespace lockstep
