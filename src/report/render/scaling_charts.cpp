#include "report/render/scaling_charts.h"

#include <fmt/format.h>

#include <algorithm>
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
          .y = point.speed_up.value,
          .y_95 = point.speed_up.interval_95,
          .tip = fmt::format("Speedup: {:.2f}, Images/Sec: {:.2f}", point.speed_up.value,
                             each.speed->images_per_second)};
}

ChartPoint throughput(const ScalingPoint& point, const Configuration& each) {
  return {.x = static_cast<double>(point.devices),
          .y = each.speed->images_per_second,
          .y_95 = each.speed->images_per_second_95,
          .tip = fmt::format("{} devices: {:.2f} images/sec", point.devices,
                             each.speed->images_per_second)};
}

ChartPoint efficiency(const ScalingPoint& point, const Configuration&) {
  ChartPoint result = {
      .x = static_cast<double>(point.devices),
      .y = 100 * point.efficiency.value,
      .y_95 = point.efficiency.interval_95,
      .tip = fmt::format("{} devices: {:.1f} %", point.devices, 100 * point.efficiency.value)};
  if (result.y_95) result.y_95 = {100 * result.y_95->low, 100 * result.y_95->high};
  return result;
}

std::string note_on(size_t all, size_t most, const char* what) {
  if (all <= most) return "";
  return fmt::format("{} of {} {} are drawn; report.html shows others by network", most, all, what);
}

void add_lines(LineChart& chart, const ScalingReport& report, Value value) {
  chart.note = note_on(report.series.size(), kMostLines, "series");
  for (const Series& series :
       std::span(report.series).first(std::min(report.series.size(), kMostLines))) {
    ChartLine& line = chart.lines.emplace_back();
    line.label = series.label;
    line.simulated = series.simulated;
    for (const ScalingPoint& point : series.points) {
      line.points.push_back(value(point, report.configurations[point.configuration]));
    }
  }
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

std::string breakdown(const ScalingReport& report) {
  StackedBars chart = {
      .title = "Where the time of a step goes",
      .y_title = "milliseconds per step",
      .parts = {"input", "forward", "backward", "exposed communication", "update", "the rest"},
      .bars = {}};
  size_t all = 0;
  for (const Configuration& each : report.configurations) {
    if (!each.speed || !each.phases_known() || ++all > kMostBars) continue;
    Bar& bar = chart.bars.emplace_back();
    bar.label = label_of(report, each);
    double rest = each.mean_step;
    for (const double phase : each.mean_phases) {
      bar.parts.push_back(1000 * phase);
      rest -= phase;
    }
    bar.parts.push_back(1000 * std::max(rest, 0.0));
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
  LineChart parts = {.title = "Efficiency by number of devices",
                     .x_title = "devices",
                     .y_title = "efficiency in %",
                     .y_scale = Scale::Linear,
                     .lines = {ideal(report, [](double) { return 100.0; })}};
  add_lines(comparison, report, speed_up);
  add_lines(rates, report, throughput);
  add_lines(parts, report, efficiency);
  return {{"comparison_graph.svg", line_chart_svg(comparison)},
          {"throughput.svg", line_chart_svg(rates)},
          {"efficiency.svg", line_chart_svg(parts)},
          {"breakdown.svg", breakdown(report)}};
}

}  // namespace lockstep
