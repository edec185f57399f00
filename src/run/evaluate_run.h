// evaluate_run.h: --eval: evaluates the newest checkpoint; with --eval-interval-secs, every new one
// that another run writes.
#pragma once

#include "base/context.h"
#include "run/group.h"
#include "run/run_plan.h"

namespace lockstep {

// Collective. `result`: what is known before. Returns the exit code; throws Error when there is no
// checkpoint, or none of this network.
int evaluate_newest(Context& context, const RunPlan& plan, Group& group, RunResult result);

}  // namespace lockstep
