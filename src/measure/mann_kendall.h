// mann_kendall.h: test for a trend in samples over time (Mann 1945, Kendall 1975).
#pragma once

#include "measure/statistics.h"

namespace lockstep {

struct Trend {
  int sign = 0;  // 1: rising, -1: falling
  double p = 1;  // two-sided, by the normal approximation
};
Trend mann_kendall(Samples samples);  // at least two

}  // namespace lockstep
