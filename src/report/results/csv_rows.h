// csv_rows.h: a CSV file by column names, in any order and case. Cells in quotes may hold commas,
// line ends and doubled quotes; lines that begin with # are comments, rows of empty cells are none.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

struct CsvRow {
  int line = 0;
  std::map<std::string, std::string> cells;
  std::string problem = {};  // of a row with more cells than the header

  // The first of these columns that there is and is not empty; else empty.
  std::string get(std::initializer_list<std::string_view> names) const;
};

// Missing cells at the end of a row are empty. Throws UsageError, with the line, if a quote does
// not end or two columns have one name.
std::vector<CsvRow> read_csv(std::string_view text, const std::string& source);

}  // namespace lockstep
