// piecewise.h: reads --piecewise-learning-rate-schedule, "0.3;10;0.2;25;0.1": a first rate, then
// pairs of the epoch where the rate changes and the rate from there on.
#pragma once

#include <string_view>
#include <vector>

namespace lockstep {

struct Piecewise {
  std::vector<double> rates;   // one more than epochs
  std::vector<double> epochs;  // rising
};

Piecewise parse_piecewise(std::string_view text);  // throws UsageError

}  // namespace lockstep
