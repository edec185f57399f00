// text_table.h: a text table with aligned columns.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

inline constexpr size_t kTerminalColumns = 100;

enum class TableWidth { Terminal, Wide };  // at most kTerminalColumns; as wide as it is

size_t text_width(std::string_view text);  // characters, not bytes

// Breaks lines at spaces; further lines of a paragraph begin with `indent`.
std::string wrapped(const std::string& text, const std::string& indent = "  ",
                    size_t width = kTerminalColumns);
std::string fitted(const std::string& text, TableWidth width);  // wrapped, unless it may be wide

// Text with names that somebody else chose becomes no HTML, link, image, cell or line of its own.
std::string markdown_text(std::string_view text);
std::string markdown_item(std::string_view text);  // of a list: a line

class TextTable {
 public:
  enum class Align { Left, Right };
  struct Column {
    std::string title;
    Align align = Align::Right;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string text(TableWidth width) const {
    return width == TableWidth::Wide ? text() : text_within();
  }
  std::string text() const;  // titles first; lines end without spaces
  // The same in at most so many columns: titles and texts continue on further lines, and numbers
  // that find no room are in a second table with the first column again.
  std::string text_within(size_t most_columns = kTerminalColumns) const;
  std::string markdown() const;

 private:
  using Row = std::vector<std::string>;

  std::vector<size_t> widths() const;
  std::vector<size_t> least_widths() const;
  std::string lines_of(const Row& row, const std::vector<size_t>& widths) const;
  std::string text_of(const std::vector<size_t>& widths) const;
  TextTable part(size_t begin, size_t end) const;  // the first column, and those from `begin`

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// With lines between the rows, for what is too long for a column: headings[i] stands above row i,
// unless the row before has the same; empty: none.
std::string with_headings(const TextTable& table, std::span<const std::string> headings);

}  // namespace lockstep
