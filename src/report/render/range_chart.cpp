// range_chart.cpp: draws distributions below each other over one axis.
#include <fmt/format.h>

#include <algorithm>

#include "report/render/chart.h"
#include "report/render/svg.h"

namespace lockstep {
namespace {

constexpr double kPlotWidth = 460, kTop = 56, kRight = 30, kRow = 26;
constexpr int kGridLines = 5;

}  // namespace

std::string range_chart_svg(const RangeChart& chart) {
  size_t longest = 0;
  double most = 0;
  for (const RangeRow& row : chart.ranges) {
    longest = std::max(longest, row.label.size());
    most = std::max(most, row.most);
  }
  if (most <= 0) most = 1;
  const double left = 30 + 7.2 * static_cast<double>(longest);
  const double bottom = kTop + kRow * static_cast<double>(chart.ranges.size());
  Svg svg(left + kPlotWidth + kRight, bottom + 60, chart.title,
          fmt::format("{}, {} rows", chart.x_title, chart.ranges.size()));
  svg.text({.x = 20, .y = 30, .text = chart.title, .kind = "title"});
  for (int i = 0; i <= kGridLines; ++i) {
    const double x = left + kPlotWidth * i / kGridLines;
    svg.line(x, kTop - 4, x, bottom, i == 0 ? "axis" : "grid");
    svg.text({.x = x,
              .y = bottom + 18,
              .text = fmt::format("{:.3g}", most * i / kGridLines),
              .anchor = "middle",
              .kind = "small"});
  }
  svg.text(
      {.x = left + kPlotWidth / 2, .y = bottom + 42, .text = chart.x_title, .anchor = "middle"});
  const auto at = [&](double value) { return left + kPlotWidth * value / most; };
  double y = kTop + kRow / 2;
  for (const RangeRow& row : chart.ranges) {
    svg.text({.x = left - 10, .y = y + 4, .text = row.label, .anchor = "end"});
    svg.line(at(row.least), y, at(row.most), y, "error c0");
    svg.rectangle(at(row.low), y - 7, std::max(at(row.high) - at(row.low), 1.0), 14, "part c0",
                  fmt::format("{}: 5 % {:.4g}, median {:.4g}, 95 % {:.4g} ms", row.label, row.low,
                              row.middle, row.high));
    svg.line(at(row.middle), y - 10, at(row.middle), y + 10, "error c1");
    y += kRow;
  }
  return svg.done();
}

}  // namespace lockstep
