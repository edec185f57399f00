// chart.h: charts as standalone SVG: no script, system fonts, the same bytes for the same data.
// Colours are those of Okabe and Ito, which are safe for colour-blind readers; markers and dashes
// differ too. The chart follows the light or dark scheme of the reader.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "measure/confidence.h"

namespace lockstep {

enum class Scale { Linear, Log2 };

struct ChartPoint {
  double x, y;
  std::optional<Interval> y_95 = {};
  std::string tip = {};  // tooltip, also for screen readers
};
struct ChartLine {
  std::string label;
  std::vector<ChartPoint> points;  // by x
  bool reference = false;          // ideal line, drawn thin and grey
  bool simulated = false;          // dashed, with open markers
};
struct LineChart {
  std::string title, x_title, y_title;
  Scale x_scale = Scale::Log2, y_scale = Scale::Log2;
  bool markers = true;
  std::vector<ChartLine> lines;
  std::string note = {};  // below the title: what is not drawn
};
std::string line_chart_svg(const LineChart& chart);

struct Bar {
  std::string label;          // below it
  std::vector<double> parts;  // from the bottom up, as chart.parts
};
struct StackedBars {
  std::string title, y_title;
  std::vector<std::string> parts;  // names
  std::vector<Bar> bars;
  std::string note = {};  // as above
};
std::string stacked_bars_svg(const StackedBars& chart);

// Quantiles of a row of samples, drawn as a bar with a line through it.
struct RangeRow {
  std::string label;
  double least, low, middle, high, most;
};
struct RangeChart {
  std::string title, x_title;
  std::vector<RangeRow> ranges;
};
std::string range_chart_svg(const RangeChart& chart);

// Heat map: no colour at zero and below, darkest at the maximum.
struct HeatMap {
  std::string title, x_title, y_title, unit;
  std::vector<std::vector<double>> rows;  // equally long
};
std::string heat_map_svg(const HeatMap& chart);

}  // namespace lockstep
