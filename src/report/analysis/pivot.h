// pivot.h: images/sec by two axes, in one table for each combination of the other axes.
#pragma once

#include "report/analysis/axis_groups.h"

namespace lockstep {

struct PivotTable {
  std::string heading;                // the other axes; empty: nothing else varies
  std::vector<std::string> settings;  // the same, by Pivot::others
  // [row][column] of the pivot: index of the configuration; absent: not measured.
  std::vector<std::vector<std::optional<size_t>>> cells;
};

struct Pivot {
  std::string row_axis, column_axis;
  std::vector<std::string> rows, columns;  // values of the axes
  std::vector<std::string> others;         // names of the other axes that vary
  std::vector<PivotTable> tables;
  int shared_cells = 0;  // have several configurations; the fastest is in the table
};

Pivot make_pivot(const ScalingReport& report, const std::string& rows, const std::string& columns);

}  // namespace lockstep
