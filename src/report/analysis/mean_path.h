// mean_path.h: the critical paths of several launches as one.
#pragma once

#include <span>

#include "report/results/path_summary.h"

namespace lockstep {

// A rank that was late in some launches counts with the mean of its steps over all of them, worst
// first. Where it was late is taken from the launch in which that cost most. Of none: empty.
PathSummary mean_path(std::span<const PathSummary> launches);

}  // namespace lockstep
