#include "report/render/configurations_csv.h"

#include <fmt/format.h>

#include <map>

#include "config/run_label.h"
#include "report/render/csv.h"

namespace lockstep {
namespace {

using Row = std::vector<std::string>;

void add_ratio(Row& row, const std::optional<Ratio>& ratio) {
  std::optional<double> value, low, high;
  if (ratio) value = ratio->value;
  if (ratio && ratio->interval_95) {
    low = ratio->interval_95->low;
    high = ratio->interval_95->high;
  }
  for (const auto& number : {value, low, high}) row.push_back(csv_number(number));
}

Row header() {
  Row row = {"run_id", "model",   "batch_size", "engine", "settings",
             "nodes",  "devices", "threads",    "origin", "launches"};
  for (const char* name :
       {"images_per_sec", "speed_up", "scaling_efficiency", "communication_efficiency"}) {
    for (const char* end : {"", "_low", "_high"}) row.push_back(fmt::format("{}{}", name, end));
  }
  for (const char* name : {"exposed_communication", "failed_launches", "error"})
    row.push_back(name);
  return row;
}

Row row_of(const ScalingReport& report, const Configuration& each, const ScalingPoint& point) {
  Row row = {each.id,
             each.config.model,
             fmt::to_string(each.config.batch_size),
             engine_label(each.config),
             settings_label(each.config, report.differing),
             fmt::to_string(each.nodes),
             fmt::to_string(each.devices),
             each.threads > 0 ? fmt::to_string(each.threads) : "",
             each.skipped     ? "skipped"
             : each.simulated ? "simulated"
                              : "measured",
             fmt::to_string(each.launches.size())};
  std::optional<Ratio> rate;
  if (each.speed) {
    rate = Ratio{.value = each.speed->images_per_second,
                 .interval_95 = each.speed->images_per_second_95};
  }
  for (const auto& ratio :
       {rate, point.speed_up, point.scaling_efficiency, each.communication_efficiency}) {
    add_ratio(row, ratio);
  }
  row.push_back(each.speed ? csv_number(each.exposed_fraction()) : "");
  row.push_back(fmt::to_string(each.failed));
  row.push_back(each.error);
  return row;
}

}  // namespace

std::string configurations_csv(const ScalingReport& report) {
  std::map<size_t, ScalingPoint> points;
  for (const Series& series : report.series) {
    for (const ScalingPoint& point : series.points) points[point.configuration] = point;
  }
  std::string text = csv_line(header());
  for (size_t i = 0; i < report.configurations.size(); ++i) {
    text += csv_line(row_of(report, report.configurations[i], points[i]));
  }
  return text;
}

}  // namespace lockstep
