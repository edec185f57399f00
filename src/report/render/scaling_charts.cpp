#include "report/render/scaling_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <span>

#include "config/run_label.h"
#include "report/render/chart.h"

namespace lockstep {
namespace {

constexpr size_t kMostLines = 28;  // seven colours in four dash patterns; more would look alike
constexpr size_t kMostBars = 200;

using Value = ChartPoint (*)(const ScalingPoint&, const Configuration&);

ChartPoint speed_up(const ScalingPoint& point, const Configuration& each) {
  return {.x = static_cast<double>(point.devices),
          .y = point.speed_up->value,
          .y_95 = point.speed_up->interval_95,
          .tip = fmt::format("Speedup: {:.2f}, Images/Sec: {:.2f}", point.speed_up->value,
                             each.speed->images_per_second)};
}

ChartPoint throughput(const ScalingPoint& point, const Configuration& each) {
  return {.x = static_cast<double>(point.devices),
          .y = each.speed->images_per_second,
          .y_95 = each.speed->images_per_second_95,
          .tip = fmt::format("{} devices: {:.2f} images/sec", point.devices,
                             each.speed->images_per_second)};
}

ChartPoint percent_point(int devices, const Ratio& part) {
  ChartPoint result = {.x = static_cast<double>(devices),
                       .y = 100 * part.value,
                       .y_95 = part.interval_95,
                       .tip = fmt::format("{} devices: {:.1f} %", devices, 100 * part.value)};
  if (result.y_95) result.y_95 = {100 * result.y_95->low, 100 * result.y_95->high};
  return result;
}

ChartPoint scaling_efficiency(const ScalingPoint& point, const Configuration&) {
  return percent_point(point.devices, *point.scaling_efficiency);
}

ChartPoint communication_efficiency(const ScalingPoint& point, const Configuration& each) {
  return percent_point(point.devices, *each.communication_efficiency);
}

using Has = bool (*)(const ScalingPoint&, const Configuration&);
bool any(const ScalingPoint&, const Configuration&) { return true; }
bool scales(const ScalingPoint& point, const Configuration&) { return point.speed_up.has_value(); }
bool has_communication(const ScalingPoint&, const Configuration& each) {
  return each.communication_efficiency.has_value();
}

std::string note_on(size_t all, size_t most, const char* what) {
  if (all <= most) return "";
  return fmt::format("{} of {} {} are drawn; report.html shows others by network", most, all, what);
}

// Adds nothing for points without the value.
void add_lines(LineChart& chart, const ScalingReport& report, Has has, Value value) {
  std::vector<ChartLine> lines;
  for (const Series& series : report.series) {
    ChartLine line = {.label = series.label, .points = {}, .simulated = series.simulated};
    for (const ScalingPoint& point : series.points) {
      const Configuration& each = report.configurations[point.configuration];
      if (has(point, each)) line.points.push_back(value(point, each));
    }
    if (!line.points.empty()) lines.push_back(std::move(line));
  }
  chart.note = note_on(lines.size(), kMostLines, "series");
  lines.resize(std::min(lines.size(), kMostLines));
  std::ranges::move(lines, std::back_inserter(chart.lines));
}

// A chart with nothing but its ideal is left out.
void add_chart(std::vector<ReportFile>& files, const char* name, const LineChart& chart) {
  const auto is_data = [](const ChartLine& line) { return !line.reference; };
  if (std::ranges::any_of(chart.lines, is_data)) files.push_back({name, line_chart_svg(chart)});
}

// `value`: ideal value for a multiple of the base devices.
ChartLine ideal(const ScalingReport& report, double (*value)(double)) {
  std::set<double> devices;
  for (const Series& series : report.series) {
    for (const ScalingPoint& point : series.points) devices.insert(point.devices);
  }
  ChartLine line = {.label = "Ideal", .points = {}, .reference = true};
  for (const double count : devices) {
    line.points.push_back({.x = count, .y = value(count / *devices.begin())});
  }
  return line;
}

LineChart efficiency_chart(const char* title, const char* y_title, const ScalingReport& report) {
  return {.title = title,
          .x_title = "devices",
          .y_title = y_title,
          .y_scale = Scale::Linear,
          .lines = {ideal(report, [](double) { return 100.0; })}};
}

std::string breakdown(const ScalingReport& report) {
  StackedBars chart = {.title = "Where the time of a step goes",
                       .y_title = "milliseconds per step",
                       .parts = {"input", "forward", "backward", "exposed communication", "update",
                                 "between steps", "the rest"},
                       .bars = {}};
  size_t all = 0;
  for (const Configuration& each : report.configurations) {
    if (!each.speed || !each.phases_known() || ++all > kMostBars) continue;
    Bar& bar = chart.bars.emplace_back();
    bar.label = label_of(report, each);
    for (const double part : each.phases_and_rest()) bar.parts.push_back(1000 * part);
  }
  chart.note = note_on(all, kMostBars, "configurations");
  return stacked_bars_svg(chart);
}

}  // namespace

std::vector<ReportFile> scaling_charts(const ScalingReport& report) {
  if (report.series.empty()) return {};  // everything failed
  LineChart comparison = {.title = "Speed-up by number of devices",
                          .x_title = "devices",
                          .y_title = "speed-up",
                          .lines = {ideal(report, [](double more) { return more; })}};
  LineChart rates = {.title = "Throughput by number of devices",
                     .x_title = "devices",
                     .y_title = "images/sec",
                     .lines = {}};
  LineChart scaling = efficiency_chart("Scaling efficiency by number of devices",
                                       "scaling efficiency in %", report);
  LineChart communication = efficiency_chart("Communication efficiency by number of devices",
                                             "communication efficiency in %", report);
  add_lines(comparison, report, scales, speed_up);
  add_lines(rates, report, any, throughput);
  add_lines(scaling, report, scales, scaling_efficiency);
  add_lines(communication, report, has_communication, communication_efficiency);
  std::vector<ReportFile> files;
  add_chart(files, "comparison_graph.svg", comparison);
  add_chart(files, "throughput.svg", rates);
  add_chart(files, "scaling_efficiency.svg", scaling);
  add_chart(files, "communication_efficiency.svg", communication);
  files.push_back({"breakdown.svg", breakdown(report)});
  return files;
}

}  // namespace lockstep
