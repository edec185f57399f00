#include "report/render/scaling_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "config/run_label.h"
#include "report/analysis/scaling_notes.h"
#include "report/render/text_table.h"

namespace lockstep {
namespace {

using Row = std::vector<std::string>;

struct ScalingTable {
  TextTable table;
  std::vector<std::string> remarks;
};

std::string with_interval(double value, const std::optional<Interval>& interval, int digits) {
  if (!interval) return fmt::format("{:.{}f}", value, digits);
  return fmt::format("{:.{}f} ({:.{}f} to {:.{}f})", value, digits, interval->low, digits,
                     interval->high, digits);
}

std::string percent(double part) { return fmt::format("{:.1f}", 100 * part); }

std::string percent_with_interval(const Ratio& part) {
  std::optional<Interval> interval = part.interval_95;
  if (interval) interval = {100 * interval->low, 100 * interval->high};
  return with_interval(100 * part.value, interval, 1);
}

std::string percent_or_dash(const std::optional<Ratio>& part) {
  return part ? percent_with_interval(*part) : "-";
}

// Which columns a table has besides those of all.
struct Extent {
  bool scaling = true, communication = false, data = false;

  size_t columns() const { return (scaling ? 2 : 0) + (communication ? 1 : 0) + (data ? 1 : 0); }
};

bool any_has(const ScalingReport& report, std::optional<Ratio> Configuration::*value) {
  return std::ranges::any_of(report.configurations,
                             [&](const auto& each) { return (each.*value).has_value(); });
}

Row row_of(const ScalingReport& report, const Configuration& each, const ScalingPoint* point,
           Extent extent) {
  const RunConfig& run = each.config;
  Row row = {run.model, fmt::to_string(run.batch_size), engine_of(each)};
  if (!report.differing.empty()) row.push_back(settings_label(run, report.differing));
  row.push_back(fmt::to_string(each.devices));
  if (!each.speed) {
    row.resize(row.size() + 3 + extent.columns());
    row.push_back(fmt::format("{}: {}", each.skipped ? "skipped" : "failed", each.error));
    return row;
  }
  const LaunchSummary& speed = *each.speed;
  row.push_back(fmt::to_string(speed.launches));
  row.push_back(with_interval(speed.images_per_second, speed.images_per_second_95, 2));
  if (extent.scaling) {
    const auto& speed_up = point->speed_up;
    row.push_back(speed_up ? with_interval(speed_up->value, speed_up->interval_95, 2) : "-");
    row.push_back(percent_or_dash(point->scaling_efficiency));
  }
  if (extent.communication) row.push_back(percent_or_dash(each.communication_efficiency));
  const auto exposed = each.exposed_fraction();
  row.push_back(exposed ? percent(*exposed) : "not reported");
  if (extent.data) row.push_back(each.data_cost ? percent_with_interval(*each.data_cost) : "");
  row.emplace_back(each.warnings.empty() ? "" : "see below");
  return row;
}

// Each warning once, with the configurations that it is about.
std::vector<std::string> warnings_of(const ScalingReport& report) {
  std::vector<std::pair<std::string, Row>> about;  // in the order of the configurations
  std::map<std::string, size_t> places;
  for (const Configuration& each : report.configurations) {
    for (const std::string& warning : each.warnings) {
      const auto [place, fresh] = places.try_emplace(warning, about.size());
      if (fresh) about.push_back({warning, {}});
      about[place->second].second.push_back(label_of(report, each));
    }
  }
  Row lines;
  for (auto& [warning, labels] : about) {
    const bool all = labels.size() > 1 && labels.size() == report.configurations.size();
    lines.push_back(
        fmt::format("{}: {}", all ? "all configurations" : few_of(std::move(labels)), warning));
  }
  return lines;
}

ScalingTable table_of(const ScalingReport& report, TableOf what) {
  constexpr auto kLeft = TextTable::Align::Left;
  const Extent extent = {.scaling = what == TableOf::Scaling,
                         .communication = any_has(report, &Configuration::communication_efficiency),
                         .data = any_has(report, &Configuration::data_cost)};
  std::vector<TextTable::Column> columns = {{"model", kLeft}, {"batch"}, {"engine", kLeft}};
  if (!report.differing.empty()) columns.push_back({"settings", kLeft});
  for (const char* title : {"devices", "launches", "images/sec (95 %)"}) columns.push_back({title});
  if (extent.scaling) {
    for (const char* title : {"speed-up (95 %)", "scaling efficiency %"})
      columns.push_back({title});
  }
  if (extent.communication) columns.push_back({"communication efficiency %"});
  columns.push_back({"exposed communication %"});
  if (extent.data) columns.push_back({"cost of real data % (95 %)"});
  columns.push_back({"remarks", kLeft});
  ScalingTable made = {.table = TextTable(std::move(columns)), .remarks = report.notes};
  auto& remarks = made.remarks;
  if (extent.scaling) {
    remarks.insert(remarks.end(), report.base_notes.begin(), report.base_notes.end());
  }
  std::map<size_t, const ScalingPoint*> points;
  for (const Series& series : report.series) {
    for (const ScalingPoint& point : series.points) points[point.configuration] = &point;
  }
  for (size_t i = 0; i < report.configurations.size(); ++i) {
    const Configuration& each = report.configurations[i];
    made.table.add(row_of(report, each, points.contains(i) ? points[i] : nullptr, extent));
  }
  std::ranges::move(warnings_of(report), std::back_inserter(remarks));
  return made;
}

}  // namespace

std::string scaling_table(const ScalingReport& report, TableOf what) {
  const ScalingTable made = table_of(report, what);
  std::string result = made.table.text();
  for (const std::string& remark : made.remarks) result += "note: " + remark + "\n";
  return result;
}

std::string scaling_markdown(const ScalingReport& report) {
  const ScalingTable made = table_of(report, TableOf::Scaling);
  std::string result = made.table.markdown();
  if (!made.remarks.empty()) result += "\n";
  for (const std::string& remark : made.remarks) result += markdown_item(remark);
  return result;
}

}  // namespace lockstep
