// heat_map.cpp: draws a heat map.
#include <fmt/format.h>

#include <algorithm>

#include "report/render/chart.h"
#include "report/render/svg.h"

namespace lockstep {
namespace {

constexpr double kPlotWidth = 660, kTop = 56, kLeft = 76, kRight = 24;

double greatest(const HeatMap& chart) {
  double most = 0;
  for (const auto& row : chart.rows) {
    for (const double value : row) most = std::max(most, value);
  }
  return most > 0 ? most : 1;
}

}  // namespace

std::string heat_map_svg(const HeatMap& chart) {
  const double rows = static_cast<double>(chart.rows.size());
  const double height = std::clamp(360 / std::max(rows, 1.0), 8.0, 26.0);
  const double columns =
      chart.rows.empty() ? 1.0 : static_cast<double>(std::max<size_t>(chart.rows[0].size(), 1));
  const double width = kPlotWidth / columns, bottom = kTop + height * rows, most = greatest(chart);
  Svg svg(kLeft + kPlotWidth + kRight, bottom + 84, chart.title,
          fmt::format("{} by {} and {}; at most {:.4g}", chart.unit, chart.y_title, chart.x_title,
                      most));
  svg.text({.x = kLeft, .y = 30, .text = chart.title, .kind = "title"});
  svg.text({.x = 20,
            .y = (kTop + bottom) / 2,
            .text = chart.y_title,
            .anchor = "middle",
            .upright = true});
  const size_t named = static_cast<size_t>(std::max(1.0, 14 / height + 0.5));
  for (size_t r = 0; r < chart.rows.size(); ++r) {
    const double y = kTop + height * static_cast<double>(r);
    if (r % named == 0) {
      svg.text({.x = kLeft - 8,
                .y = y + height / 2 + 4,
                .text = fmt::to_string(r),
                .anchor = "end",
                .kind = "small"});
    }
    for (size_t c = 0; c < chart.rows[r].size(); ++c) {
      const double value = chart.rows[r][c];
      if (value <= 0) continue;
      svg.shade(kLeft + width * static_cast<double>(c), y, width, height, value / most,
                fmt::format("{} {}, {} {}: {:.3g}", chart.y_title, r, chart.x_title, c + 1, value));
    }
  }
  svg.line(kLeft, bottom, kLeft + kPlotWidth, bottom, "axis");
  svg.text(
      {.x = kLeft + kPlotWidth / 2, .y = bottom + 24, .text = chart.x_title, .anchor = "middle"});
  constexpr int kShades = 5;
  for (int i = 0; i < kShades; ++i) {
    svg.shade(kLeft + 22.0 * i, bottom + 44, 22, 14, (i + 1.0) / kShades, "");
  }
  svg.text({.x = kLeft + 22.0 * kShades + 10,
            .y = bottom + 56,
            .text = fmt::format("0 to {:.3g} {}", most, chart.unit)});
  return svg.done();
}

}  // namespace lockstep
