// confidence.h: the confidence interval of a throughput.
//
// Steps of one run depend on each other (a slow spell lasts many steps), so the usual error of the
// mean is too small. A circular block bootstrap draws whole runs of neighbouring steps instead of
// single ones (Politis and Romano 1992): blocks as long as the dependence lasts keep it inside.
#pragma once

#include "measure/statistics.h"

namespace lockstep {

struct Interval {
  double low = 0, high = 0;
};

double autocorrelation(Samples samples, int lag);  // 0 when the samples are all equal

// First lag whose autocorrelation cannot be told from none (below 2 / sqrt(n)), but at least the
// cube root of n and at most half of it. Beyond 2000 samples, of the means of neighbours: a lag
// costs a pass over all of them.
int block_length(Samples samples);

// 95 % confidence interval of images / second, all images over all time. The random draws are
// fixed: the same steps give the same interval.
Interval throughput_interval(Samples step_seconds, double images_per_step);

}  // namespace lockstep
