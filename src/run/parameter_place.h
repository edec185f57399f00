// parameter_place.h: decides whether parameters live on the GPUs or in the host's memory.
#pragma once

#include "run/run_plan.h"

namespace lockstep {

// On the GPU wherever the strategy can work there: without parameter servers, and with NCCL between
// several workers. Else every gradient goes through host memory, and so does every update. Sets
// engine_options, and facts.communicator if that is NCCL. Throws UsageError when --communicator
// nccl cannot be used.
void place_parameters(RunPlan& plan);

// For ranks to compare: each has looked for NCCL on its own host.
std::string place_text(const RunPlan& plan);

}  // namespace lockstep
