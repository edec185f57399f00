// text_table.h: a text table with aligned columns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

size_t text_width(std::string_view text);  // characters, not bytes

class TextTable {
 public:
  enum class Align { Left, Right };
  struct Column {
    std::string title;
    Align align = Align::Right;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string text() const;  // titles first; lines end without spaces
  std::string markdown() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace lockstep
