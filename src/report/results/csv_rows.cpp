#include "report/results/csv_rows.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/printable.h"
#include "base/text.h"

namespace lockstep {
namespace {

std::string trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  return first == text.npos
             ? ""
             : std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

// The text from its beginning to its end, one row at a time.
class CsvText {
 public:
  CsvText(std::string_view text, const std::string& source) : text_(text), source_(source) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
  }

  bool more() const { return at_ < text_.size(); }
  int line() const { return line_; }

  std::vector<std::string> next_row() {
    std::vector<std::string> cells = {""};
    if (text_[at_] == '#') return skip_line(), cells;
    while (at_ < text_.size()) {
      const char letter = text_[at_++];
      if (letter == '"') {
        read_quoted(cells.back());
      } else if (letter == ',') {
        cells.emplace_back();
      } else if (letter == '\n') {
        ++line_;
        break;
      } else if (letter != '\r') {
        cells.back() += letter;
      }
    }
    for (std::string& cell : cells) {
      cell = commands_terminal(cell) ? printable(trimmed(cell)) : trimmed(cell);
    }
    return cells;
  }

 private:
  void skip_line() {
    at_ = std::min(text_.size(), text_.find('\n', at_));
    if (more()) ++at_, ++line_;
  }
  void read_quoted(std::string& cell) {
    const int begin = line_;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"') {
        if (++at_ >= text_.size() || text_[at_] != '"') return;
      }
      line_ += text_[at_] == '\n';
      cell += text_[at_];
    }
    throw UsageError("{}:{}: a quote has no end", source_, begin);
  }

  std::string_view text_;
  const std::string& source_;
  size_t at_ = 0;
  int line_ = 1;
};

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
  for (CsvText csv(text, source); csv.more();) {
    const int line = csv.line();
    std::vector<std::string> cells = csv.next_row();
    if (std::ranges::all_of(cells, &std::string::empty)) continue;
    if (header.empty()) {
      if (cells.size() == 1 && cells[0].find_first_of(";\t") != std::string::npos) {
        throw UsageError("{}:{}: columns must be separated by commas", source, line);
      }
      std::set<std::string> names;
      for (const std::string& cell : cells) {
        const std::string& name = header.emplace_back(lower_case(cell));
        if (!name.empty() && !names.insert(name).second) {
          throw UsageError("{}:{}: two columns are named {}", source, line, name);
        }
      }
      continue;
    }
    CsvRow& row = rows.emplace_back();
    row.line = line;
    while (cells.size() > header.size() && cells.back().empty()) cells.pop_back();
    if (cells.size() > header.size()) {
      row.problem = fmt::format("{} cells, but the header has {}", cells.size(), header.size());
    }
    cells.resize(header.size());
    for (size_t i = 0; i < cells.size(); ++i) row.cells[header[i]] = cells[i];
  }
  return rows;
}

}  // namespace lockstep
