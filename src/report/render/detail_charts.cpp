#include "report/render/detail_charts.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/render/chart.h"

namespace lockstep {
namespace {

constexpr size_t kMostTraces = 7;  // colours

std::string distribution(const ScalingReport& report, std::span<const LaunchDetails> launches) {
  RangeChart chart = {.title = "Distribution of step times",
                      .x_title = "milliseconds per step: 5 to 95 % (bar), median, extremes (line)",
                      .ranges = {}};
  for (const LaunchDetails& each : launches) {
    if (each.steps_ms.empty()) continue;
    chart.ranges.push_back({.label = label_of(report, report.configurations[each.configuration]),
                            .least = each.range.least,
                            .low = each.range.p5,
                            .middle = each.range.median,
                            .high = each.range.p95,
                            .most = each.range.most});
  }
  return range_chart_svg(chart);
}

std::string traces(const ScalingReport& report, std::span<const LaunchDetails> launches) {
  LineChart chart = {.title = "Step times of one launch each",
                     .x_title = "step",
                     .y_title = "milliseconds",
                     .x_scale = Scale::Linear,
                     .y_scale = Scale::Linear,
                     .markers = false,
                     .lines = {}};
  if (launches.size() > kMostTraces) {
    chart.note = fmt::format("the first {} of {} configurations; report.html has them one by one",
                             kMostTraces, launches.size());
  }
  for (const LaunchDetails& each : launches.first(std::min(launches.size(), kMostTraces))) {
    ChartLine& line = chart.lines.emplace_back();
    line.label = label_of(report, report.configurations[each.configuration]);
    for (size_t i = 0; i < each.steps_ms.size(); ++i) {
      line.points.push_back({.x = static_cast<double>(i + 1), .y = each.steps_ms[i]});
    }
  }
  return line_chart_svg(chart);
}

// The launch with the most ranks.
const LaunchDetails* widest(std::span<const LaunchDetails> launches) {
  const auto most = std::ranges::max_element(
      launches, {}, [](const LaunchDetails& each) { return each.lateness.milliseconds.size(); });
  const bool any = most != launches.end() && !most->lateness.milliseconds.empty();
  return any ? &*most : nullptr;
}

std::string stragglers(const ScalingReport& report, const LaunchDetails& each) {
  return heat_map_svg(
      {.title = fmt::format("Late ranks of {}",
                            label_of(report, report.configurations[each.configuration])),
       .x_title = each.lateness.steps_per_column == 1
                      ? "step"
                      : fmt::format("{} steps each", each.lateness.steps_per_column),
       .y_title = "rank",
       .unit = "ms later than the median rank",
       .rows = each.lateness.milliseconds});
}

}  // namespace

std::vector<ReportFile> detail_charts(const ScalingReport& report,
                                      std::span<const LaunchDetails> launches) {
  std::vector<ReportFile> files;
  if (launches.empty()) return files;
  files.push_back({"distribution.svg", distribution(report, launches)});
  files.push_back({"steps.svg", traces(report, launches)});
  if (const LaunchDetails* each = widest(launches)) {
    files.push_back({"stragglers.svg", stragglers(report, *each)});
  }
  return files;
}

}  // namespace lockstep
