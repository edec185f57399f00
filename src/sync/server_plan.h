// server_plan.h: the plan that a parameter server receives before the first step.
//
// Worker 0 writes the plan as text, so a server knows neither networks nor engines: for it, values
// are rows of floats, some of which decay.
#pragma once

#include <string>

#include "nn/optimizer.h"
#include "sync/variable_placement.h"

namespace lockstep {

struct ServerPlan {
  int workers = 0;
  bool synchronous = true;
  double gradient_scale = 1;  // of what is applied
  OptimizerSettings optimizer;
  int64_t updates = 0;  // of a checkpoint: then what the optimizer remembers follows the values
  std::vector<Slice> slices;  // of all servers: requests name them by their place here
};

std::string text_of(const ServerPlan& plan);
// Only what a server needs of the slices. Throws Error on a text that is no plan.
ServerPlan plan_from_text(const std::string& text);
// Throws Error if a server of the plan cannot have this rank: workers are the first ranks.
void check_place(const ServerPlan& plan, int rank);

}  // namespace lockstep
