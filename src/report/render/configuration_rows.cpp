#include "report/render/configuration_rows.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "config/run_label.h"
#include "report/render/csv.h"

namespace lockstep {
namespace {

using Row = std::vector<Json>;

Json known(std::optional<double> value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

void add_ratio(Row& row, const std::optional<Ratio>& ratio) {
  std::optional<double> value, low, high;
  if (ratio) value = ratio->value;
  if (ratio && ratio->interval_95) {
    low = ratio->interval_95->low;
    high = ratio->interval_95->high;
  }
  for (const auto& number : {value, low, high}) row.push_back(known(number));
}

std::vector<std::string> columns() {
  std::vector<std::string> names = {"run_id", "model",   "batch_size", "engine", "settings",
                                    "nodes",  "devices", "threads",    "origin", "launches"};
  for (const char* name :
       {"images_per_sec", "speed_up", "scaling_efficiency", "communication_efficiency"}) {
    for (const char* end : {"", "_low", "_high"}) names.push_back(fmt::format("{}{}", name, end));
  }
  for (const char* name : {"exposed_communication", "failed_launches", "error"})
    names.push_back(name);
  return names;
}

Row row_of(const ScalingReport& report, const Configuration& each, const ScalingPoint& point) {
  Row row = {each.id,
             each.config.model,
             each.config.batch_size,
             engine_label(each.config),
             settings_label(each.config, report.differing),
             each.nodes,
             each.devices,
             each.threads > 0 ? Json(each.threads) : Json(nullptr),
             each.skipped     ? "skipped"
             : each.simulated ? "simulated"
                              : "measured",
             each.launches.size()};
  std::optional<Ratio> rate;
  if (each.speed) {
    rate = Ratio{.value = each.speed->images_per_second,
                 .interval_95 = each.speed->images_per_second_95};
  }
  for (const auto& ratio :
       {rate, point.speed_up, point.scaling_efficiency, each.communication_efficiency}) {
    add_ratio(row, ratio);
  }
  row.push_back(each.speed ? known(each.exposed_fraction()) : Json(nullptr));
  row.push_back(each.failed);
  row.push_back(each.error);
  return row;
}

std::vector<Row> rows_of(const ScalingReport& report) {
  std::map<size_t, ScalingPoint> points;
  for (const Series& series : report.series) {
    for (const ScalingPoint& point : series.points) points[point.configuration] = point;
  }
  std::vector<Row> rows;
  for (size_t i = 0; i < report.configurations.size(); ++i) {
    rows.push_back(row_of(report, report.configurations[i], points[i]));
  }
  return rows;
}

std::string csv_cell(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  return value.is_number_float() ? csv_number(value.get<double>()) : value.dump();
}

}  // namespace

std::string configurations_csv(const ScalingReport& report) {
  std::string text = csv_line(columns());
  for (const Row& row : rows_of(report)) {
    std::vector<std::string> cells;
    for (const Json& value : row) cells.push_back(csv_cell(value));
    text += csv_line(cells);
  }
  return text;
}

Json configurations_json(const ScalingReport& report) {
  const std::vector<std::string> names = columns();
  Json list = Json::array();
  for (const Row& row : rows_of(report)) {
    Json& object = list.emplace_back(Json::object());
    for (size_t i = 0; i < names.size(); ++i) object[names[i]] = row[i];
  }
  return list;
}

}  // namespace lockstep
