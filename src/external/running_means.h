// running_means.h: recovers the throughput of intervals from running means.
//
// A mean rate r over the first k steps says that they took k/r (in units of a step's images). The
// difference of two such times is the time of the steps between them. Printed means are rounded,
// and the later the interval, the more that matters: an interval is a small difference of large
// times. So there are no intervals at all when rounding could move one by more than 2 %.
#pragma once

#include <vector>

#include "external/reading.h"

namespace lockstep {

// Of one worker, in order. Intervals have equally many steps: a first line after a single step is
// part of the interval of the second. Empty: step numbers are missing or irregular, or the means
// too coarse.
std::vector<Reading> intervals_of(const std::vector<Reading>& means);

// How far the last printed digit may be off: "402.7" -> 0.05. Absent for other notations.
std::optional<double> rounding_of(const std::string& number);

}  // namespace lockstep
