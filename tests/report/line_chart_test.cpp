// A chart of whatever somebody wrote into a result ends, and has few ticks.
#include <gtest/gtest.h>

#include <limits>

#include "report/render/chart.h"

namespace lockstep {
namespace {

TEST(LineChart, HasFewTicksWhateverItsValues) {
  for (const double rate : {1e-310, 1.0, 1e60, 1e308, std::numeric_limits<double>::infinity()}) {
    for (const Scale scale : {Scale::Linear, Scale::Log2}) {
      LineChart chart;
      chart.x_scale = chart.y_scale = scale;
      chart.lines.push_back({.label = "a", .points = {{.x = 1, .y = 1}, {.x = rate, .y = rate}}});
      EXPECT_LT(line_chart_svg(chart).size(), 20'000u) << rate;
    }
  }
}

}  // namespace
}  // namespace lockstep
