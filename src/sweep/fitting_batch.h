// fitting_batch.h: the batch size of a network in a sweep that leaves it open: the network's
// default, halved until the memory that a run needs is available.
#pragma once

#include <string>

#include "nn/zoo.h"
#include "run/run_context.h"
#include "sweep/sweep_options.h"

namespace lockstep {

struct FittingBatch {
  int batch = 0;          // 0: left to the run, whose own check reports what is wrong
  std::string note = {};  // why it is not the default
};

// `available_bytes`: for one worker. Options of the sweep that change the memory of a run, such as
// the optimizer, count with their first value.
FittingBatch fitting_batch(const SweepOptions& options, const RunContext& context,
                           const Model& model, int64_t available_bytes);

}  // namespace lockstep
