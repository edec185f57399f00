// stragglers.h: finds the ranks that the others waited for.
//
// In lockstep all ranks take equally long for a step; the slow one is that which waits least. What
// a rank does besides waiting for communication is its own time. The slowest rank of a step is
// late by the difference between its own time and the median of all ranks.
#pragma once

#include <span>
#include <vector>

#include "measure/step_meter.h"

namespace lockstep {

struct Straggler {
  int rank = 0;
  double slowest_fraction = 0;  // of the steps in which it was the slowest
  double mean_late = 0;         // seconds, in those steps
};

// One per rank; none if one does not tell its waiting. `steps[rank]`: equally many, two at least.
std::vector<Straggler> find_stragglers(std::span<const std::span<const StepRecord>> steps);

}  // namespace lockstep
