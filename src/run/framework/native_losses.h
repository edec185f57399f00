// native_losses.h: the losses of the first steps by our own engine: what a framework that trains
// the same network must reproduce.
#pragma once

#include <vector>

#include "run/run_input.h"
#include "run/run_plan.h"

namespace lockstep {

struct NativeLosses {
  // Chosen so that an update changes the loss noticeably, whatever the network: wrong gradients
  // would show.
  double learning_rate = 0;
  std::vector<double> losses;  // without L2
};

// One replica by itself, on the images of this rank, with a constant learning rate.
NativeLosses native_losses(const RunPlan& plan, const InputShare& share, int steps);

}  // namespace lockstep
