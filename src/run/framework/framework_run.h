// framework_run.h: measures the run of a framework (--framework) in place of an engine's.
//
// Every worker starts the framework's adapter as a child, on its own cores, and records what the
// child reports. So launchers, gathering and results are those of our own runs.
#pragma once

#include "base/context.h"
#include "run/group.h"
#include "run/measure_run.h"

namespace lockstep {

// Collective. `started`: the result so far. Only rank 0 gets the whole result. Throws Error when
// the framework fails, or trains another network than our own engine does.
MeasuredRun measure_framework(const RunPlan& plan, Group& group, RunResult started,
                              Context& context);

}  // namespace lockstep
