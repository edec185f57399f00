// stacked_bars.cpp: draws a stacked bar chart.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "report/render/chart.h"
#include "report/render/svg.h"

namespace lockstep {
namespace {

constexpr double kTop = 56, kLeft = 76, kRight = 24, kPlotHeight = 360, kRow = 22;
constexpr int kGridLines = 5;

double total(const Bar& bar) { return std::accumulate(bar.parts.begin(), bar.parts.end(), 0.0); }

}  // namespace

std::string stacked_bars_svg(const StackedBars& chart) {
  const double width =
      std::max(760.0, kLeft + kRight + 26 * static_cast<double>(chart.bars.size()));
  const double bottom = kTop + kPlotHeight, rows = static_cast<double>(chart.parts.size());
  size_t longest = 0;  // names of bars stand upright below them
  for (const Bar& bar : chart.bars) longest = std::max(longest, bar.label.size());
  const double labels = 44 + 6.5 * static_cast<double>(longest);
  Svg svg(width, bottom + labels + kRow * rows + 24, chart.title,
          fmt::format("{}, {} bars", chart.y_title, chart.bars.size()));
  svg.text({.x = kLeft, .y = 30, .text = chart.title, .kind = "title"});
  if (!chart.note.empty()) svg.text({.x = kLeft, .y = 48, .text = chart.note, .kind = "small"});
  svg.text({.x = 20,
            .y = kTop + kPlotHeight / 2,
            .text = chart.y_title,
            .anchor = "middle",
            .upright = true});
  double most = 0;
  for (const Bar& bar : chart.bars) most = std::max(most, total(bar));
  if (most <= 0) most = 1;
  for (int i = 0; i <= kGridLines; ++i) {
    const double value = most * i / kGridLines, y = bottom - kPlotHeight * i / kGridLines;
    svg.line(kLeft, y, width - kRight, y, i == 0 ? "axis" : "grid");
    svg.text({.x = kLeft - 8,
              .y = y + 4,
              .text = fmt::format("{:.3g}", value),
              .anchor = "end",
              .kind = "small"});
  }
  const double slot =
      (width - kLeft - kRight) / static_cast<double>(std::max<size_t>(chart.bars.size(), 1));
  for (size_t i = 0; i < chart.bars.size(); ++i) {
    const double x = kLeft + slot * (static_cast<double>(i) + 0.5),
                 half = std::min(slot * 0.35, 30.0);
    double y = bottom;
    for (size_t part = 0; part < chart.bars[i].parts.size(); ++part) {
      const double height = kPlotHeight * chart.bars[i].parts[part] / most;
      y -= height;
      svg.rectangle(x - half, y, 2 * half, height, fmt::format("part c{}", part % Svg::kColours),
                    fmt::format("{}: {} {:.4g}", chart.bars[i].label, chart.parts[part],
                                chart.bars[i].parts[part]));
    }
    svg.text({.x = x + 4,
              .y = bottom + 10,
              .text = chart.bars[i].label,
              .anchor = "end",
              .kind = "small",
              .upright = true});
  }
  for (size_t part = 0; part < chart.parts.size(); ++part) {
    const double y = bottom + labels + kRow * static_cast<double>(part);
    svg.rectangle(kLeft, y - 11, 14, 14, fmt::format("part c{}", part % Svg::kColours));
    svg.text({.x = kLeft + 22, .y = y, .text = chart.parts[part]});
  }
  return svg.done();
}

}  // namespace lockstep
