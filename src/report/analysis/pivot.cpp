#include "report/analysis/pivot.h"

#include <algorithm>
#include <set>

namespace lockstep {
namespace {

size_t place_of(const std::vector<std::string>& values, const std::string& value) {
  return static_cast<size_t>(std::ranges::find(values, value) - values.begin());
}

double rate_of(const Configuration& each) { return each.speed ? each.speed->images_per_second : 0; }

}  // namespace

Pivot make_pivot(const ScalingReport& report, const std::string& rows, const std::string& columns) {
  const std::string axes[] = {rows, columns};
  const GroupedAxes grouped = group_by_axes(report, axes);
  const AxisLabels &down = grouped.axes[0], &across = grouped.axes[1];
  Pivot pivot = {.row_axis = rows,
                 .column_axis = columns,
                 .rows = down.values,
                 .columns = across.values,
                 .others = grouped.others,
                 .tables = {}};
  for (const AxisGroup& group : grouped.groups) {
    PivotTable& table = pivot.tables.emplace_back();
    table.heading = grouped.heading(group);
    table.settings = group.settings;
    table.cells.assign(down.values.size(),
                       std::vector<std::optional<size_t>>(across.values.size()));
    std::set<const void*> shared;
    for (const size_t member : group.members) {
      auto& cell = table.cells[place_of(down.values, down.of[member])]
                              [place_of(across.values, across.of[member])];
      if (cell) shared.insert(&cell);
      const bool faster =
          !cell || rate_of(report.configurations[member]) > rate_of(report.configurations[*cell]);
      if (faster) cell = member;
    }
    pivot.shared_cells += static_cast<int>(shared.size());
  }
  return pivot;
}

}  // namespace lockstep
