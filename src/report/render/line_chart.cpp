// line_chart.cpp: draws lines with error bars over linear or logarithmic axes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "report/render/chart.h"
#include "report/render/svg.h"

namespace lockstep {
namespace {

constexpr double kWidth = 760, kTop = 56, kLeft = 76, kRight = 24, kPlotHeight = 360,
                 kLegendRow = 22;

// Data to the picture, along one axis.
struct AxisMap {
  Scale scale;
  double low, high;   // of the data
  double begin, end;  // in the picture
  double at(double value) const {
    const auto f = [&](double v) { return scale == Scale::Log2 ? std::log2(v) : v; };
    const double span = f(high) - f(low);
    return begin + (end - begin) * (span == 0 ? 0.5 : (f(value) - f(low)) / span);
  }
};

std::string number(double value) { return fmt::format("{:g}", value); }

constexpr size_t kMostTicks = 20;  // both scales have fewer, of rates that a run can have

// Of a rate that is hardly above 0 no step leads to the next tick.
std::vector<double> ticks(const AxisMap& axis) {
  std::vector<double> result;
  const auto add = [&](double tick) { result.push_back(tick); };
  const auto more = [&] { return result.size() < kMostTicks; };
  if (axis.scale == Scale::Log2) {
    const double octaves = std::log2(axis.high / axis.low);
    const double step = std::exp2(std::max(1.0, std::ceil(octaves / 10)));
    for (double tick = axis.low; tick <= axis.high * 1.001 && more(); tick *= step) add(tick);
    return result;
  }
  const double rough = (axis.high - axis.low) / 6;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double step = power * (rough / power > 5   ? 10
                               : rough / power > 2 ? 5
                               : rough / power > 1 ? 2
                                                   : 1);
  for (double tick = axis.low; tick <= axis.high + step / 1000 && more(); tick += step) add(tick);
  return result;
}

template <typename Visit>
void each_value(const LineChart& chart, Visit visit) {
  for (const ChartLine& line : chart.lines) {
    for (const ChartPoint& point : line.points) {
      visit(point.x, point.y);
      if (!point.y_95 || !std::isfinite(point.y_95->high)) continue;
      visit(point.x, point.y_95->low);
      visit(point.x, point.y_95->high);
    }
  }
}

AxisMap y_axis(const LineChart& chart) {
  double low = INFINITY, high = -INFINITY;
  each_value(chart, [&](double, double y) {
    low = std::min(low, y);
    high = std::max(high, y);
  });
  if (!(low <= high)) low = 0, high = 1;
  if (chart.y_scale == Scale::Log2) {
    low = std::exp2(std::floor(std::log2(std::max(low, 1e-9))));
    high = std::exp2(std::ceil(std::log2(std::max(high, low * 2))));
  } else {
    low = 0;
    high = high > 0 ? high * 1.05 : 1;
  }
  return {chart.y_scale, low, high, kTop + kPlotHeight, kTop};
}

AxisMap x_axis(const LineChart& chart) {
  double low = INFINITY, high = -INFINITY;
  each_value(chart, [&](double x, double) {
    low = std::min(low, x);
    high = std::max(high, x);
  });
  if (!(low <= high)) low = 1, high = 2;
  if (chart.x_scale == Scale::Linear) low = 0, high = std::max(high, 1.0);
  return {chart.x_scale, low, high, kLeft + 18, kWidth - kRight - 18};
}

// Devices are what was measured, not powers of two; steps are too many to name each.
std::set<double> x_ticks(const LineChart& chart, const AxisMap& axis) {
  std::set<double> values;
  if (axis.scale == Scale::Linear) {
    for (const double tick : ticks(axis)) values.insert(tick);
    return values;
  }
  each_value(chart, [&](double x, double) { values.insert(x); });
  return values;
}

void draw_axes(Svg& svg, const LineChart& chart, const AxisMap& x, const AxisMap& y) {
  for (const double tick : ticks(y)) {
    svg.line(kLeft, y.at(tick), kWidth - kRight, y.at(tick), "grid");
    svg.text({.x = kLeft - 8,
              .y = y.at(tick) + 4,
              .text = number(tick),
              .anchor = "end",
              .kind = "small"});
  }
  for (const double tick : x_ticks(chart, x)) {
    svg.line(x.at(tick), kTop + kPlotHeight, x.at(tick), kTop + kPlotHeight + 5, "axis");
    svg.text({.x = x.at(tick),
              .y = kTop + kPlotHeight + 20,
              .text = number(tick),
              .anchor = "middle",
              .kind = "small"});
  }
  svg.line(kLeft, kTop + kPlotHeight, kWidth - kRight, kTop + kPlotHeight, "axis");
  svg.text({.x = (kLeft + kWidth - kRight) / 2,
            .y = kTop + kPlotHeight + 42,
            .text = chart.x_title,
            .anchor = "middle"});
  svg.text({.x = 20,
            .y = kTop + kPlotHeight / 2,
            .text = chart.y_title,
            .anchor = "middle",
            .upright = true});
}

std::string kind_of(const ChartLine& line, size_t place) {
  if (line.reference) return "ideal";
  const size_t dash = line.simulated ? 1 : place / Svg::kColours % 4;
  return fmt::format("line c{} d{}", place % Svg::kColours, dash);
}

// Markers of simulated lines are open.
std::string mark_of(const ChartLine& line, size_t place) {
  return fmt::format("mark{} c{}", line.simulated ? " open" : "", place % Svg::kColours);
}

// Error bars of several lines at one x are offset (0, 4, -4, 8, ...), so that all are visible.
double bar_aside(size_t place) {
  constexpr size_t kMostAside = 7;
  const size_t at = place % kMostAside;
  const double far = 4.0 * static_cast<double>((at + 1) / 2);
  return at % 2 == 1 ? far : -far;
}

void draw_markers(Svg& svg, const ChartLine& line, size_t place, const AxisMap& x,
                  const AxisMap& y) {
  const std::string colour = fmt::format(" c{}", place % Svg::kColours);
  for (const ChartPoint& point : line.points) {
    if (point.y_95 && std::isfinite(point.y_95->high)) {
      const double low = y.at(std::max(point.y_95->low, y.low));
      const double at = x.at(point.x) + bar_aside(place);
      svg.line(at, low, at, y.at(point.y_95->high), "error" + colour);
    }
    svg.marker(x.at(point.x), y.at(point.y), place, mark_of(line, place), point.tip);
  }
}

void draw_line(Svg& svg, const ChartLine& line, size_t place, const AxisMap& x, const AxisMap& y) {
  std::string points;
  for (const ChartPoint& point : line.points) {
    points +=
        fmt::format("{}{:.2f},{:.2f}", points.empty() ? "" : " ", x.at(point.x), y.at(point.y));
  }
  svg.polyline(points, kind_of(line, place));
}

void draw_legend(Svg& svg, const LineChart& chart) {
  double at = kTop + kPlotHeight + 70;
  for (size_t place = 0; const ChartLine& line : chart.lines) {
    svg.line(kLeft, at - 4, kLeft + 34, at - 4, kind_of(line, place));
    if (chart.markers && !line.reference) {
      svg.marker(kLeft + 17, at - 4, place, mark_of(line, place));
    }
    svg.text({.x = kLeft + 44, .y = at, .text = line.label});
    if (!line.reference) ++place;
    at += kLegendRow;
  }
}

}  // namespace

std::string line_chart_svg(const LineChart& chart) {
  const double height =
      kTop + kPlotHeight + 64 + kLegendRow * static_cast<double>(chart.lines.size()) + 12;
  Svg svg(kWidth, height, chart.title,
          fmt::format("{} against {}, {} lines", chart.y_title, chart.x_title, chart.lines.size()));
  svg.text({.x = kLeft, .y = 30, .text = chart.title, .kind = "title"});
  if (!chart.note.empty()) svg.text({.x = kLeft, .y = 48, .text = chart.note, .kind = "small"});
  const AxisMap x = x_axis(chart), y = y_axis(chart);
  draw_axes(svg, chart, x, y);
  for (size_t place = 0; const ChartLine& line : chart.lines) {
    draw_line(svg, line, place, x, y);
    if (chart.markers && !line.reference) draw_markers(svg, line, place, x, y);
    if (!line.reference) ++place;
  }
  draw_legend(svg, chart);
  return svg.done();
}

}  // namespace lockstep
