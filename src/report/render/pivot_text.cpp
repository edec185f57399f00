#include "report/render/pivot_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "report/render/csv.h"
#include "report/render/text_table.h"

namespace lockstep {
namespace {

using Row = std::vector<std::string>;

std::string cell_text(const std::optional<size_t>& cell, const ScalingReport& report) {
  if (!cell) return "-";
  const Configuration& each = report.configurations[*cell];
  if (each.speed) return fmt::format("{:.2f}", each.speed->images_per_second);
  return each.skipped ? "skipped" : "failed";
}

bool is_empty_column(const PivotTable& table, size_t column) {
  return std::ranges::none_of(table.cells,
                              [&](const auto& row) { return row[column].has_value(); });
}

// Without the rows and columns that other tables have and this one has not.
TextTable table_of(const Pivot& pivot, const PivotTable& table, const ScalingReport& report) {
  std::vector<size_t> columns;
  for (size_t i = 0; i < pivot.columns.size(); ++i) {
    if (!is_empty_column(table, i)) columns.push_back(i);
  }
  std::vector<TextTable::Column> titles = {{pivot.row_axis, TextTable::Align::Left}};
  for (const size_t column : columns) titles.push_back({pivot.columns[column]});
  TextTable result(std::move(titles));
  for (size_t i = 0; i < pivot.rows.size(); ++i) {
    const auto& cells = table.cells[i];
    if (std::ranges::none_of(cells, [](const auto& cell) { return cell.has_value(); })) continue;
    Row row = {pivot.rows[i]};
    for (const size_t column : columns) row.push_back(cell_text(cells[column], report));
    result.add(std::move(row));
  }
  return result;
}

// "images/sec by devices and synthetic-location, variable-update=replicated:"
std::string heading_of(const Pivot& pivot, const PivotTable& table) {
  return fmt::format("images/sec by {} and {}{}{}:", pivot.row_axis, pivot.column_axis,
                     table.heading.empty() ? "" : ", ", table.heading);
}

std::string note_of(const Pivot& pivot) {
  if (pivot.shared_cells == 0) return "";
  return fmt::format("several configurations share {}; the fastest is shown",
                     count_text(pivot.shared_cells, "cell"));
}

}  // namespace

std::string pivot_tables(const Pivot& pivot, const ScalingReport& report, TableWidth width) {
  std::string text;
  for (const PivotTable& table : pivot.tables) {
    text += (text.empty() ? "" : "\n") + fitted(heading_of(pivot, table) + "\n", width) +
            table_of(pivot, table, report).text(width);
  }
  const std::string note = note_of(pivot);
  return note.empty() ? text : text + "note: " + note + "\n";
}

std::string pivot_markdown(const Pivot& pivot, const ScalingReport& report) {
  std::string text;
  for (const PivotTable& table : pivot.tables) {
    text += (text.empty() ? "" : "\n") + markdown_text(heading_of(pivot, table)) + "\n\n" +
            table_of(pivot, table, report).markdown();
  }
  const std::string note = note_of(pivot);
  return note.empty() ? text : text + "\n" + markdown_item(note);
}

std::string pivot_csv(const Pivot& pivot, const ScalingReport& report) {
  Row header = pivot.others;
  header.push_back(pivot.row_axis);
  for (const std::string& column : pivot.columns) {
    header.push_back(pivot.column_axis + "=" + column);
  }
  std::string text = csv_line(header);
  for (const PivotTable& table : pivot.tables) {
    for (size_t i = 0; i < pivot.rows.size(); ++i) {
      Row row = table.settings;
      row.push_back(pivot.rows[i]);
      bool any = false;
      for (const std::optional<size_t>& cell : table.cells[i]) {
        any |= cell.has_value();
        const auto* speed = cell ? &report.configurations[*cell].speed : nullptr;
        row.push_back(speed && *speed ? csv_number((*speed)->images_per_second) : "");
      }
      if (any) text += csv_line(row);
    }
  }
  return text;
}

}  // namespace lockstep
