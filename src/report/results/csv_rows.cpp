#include "report/results/csv_rows.h"

#include "base/error.h"
#include "base/text.h"

namespace lockstep {
namespace {

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells = {""};
  bool quoted = false;
  for (const char letter : line) {
    if (letter == '"') {
      quoted = !quoted;
    } else if (letter == ',' && !quoted) {
      cells.emplace_back();
    } else if (letter != '\r') {
      cells.back() += letter;
    }
  }
  return cells;
}

}  // namespace

std::string CsvRow::get(std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names) {
    const auto found = cells.find(std::string(name));
    if (found != cells.end() && !found->second.empty()) return found->second;
  }
  return "";
}

std::vector<CsvRow> read_csv(std::string_view text, const std::string& source) {
  std::vector<std::string> header;
  std::vector<CsvRow> rows;
  int number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    if (line.empty() || line == "\r" || line.starts_with('#')) continue;
    const std::vector<std::string> cells = cells_of(line);
    if (header.empty()) {
      header = cells;
      continue;
    }
    if (cells.size() != header.size()) {
      throw UsageError("{}:{}: {} cells, but the header has {}", source, number, cells.size(),
                       header.size());
    }
    CsvRow& row = rows.emplace_back();
    row.line = number;
    for (size_t i = 0; i < cells.size(); ++i) row.cells[header[i]] = cells[i];
  }
  return rows;
}

}  // namespace lockstep
