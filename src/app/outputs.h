// outputs.h: the files that a run leaves behind.
#pragma once

#include "app/measure_run.h"

namespace lockstep {

// Before anything runs: a measurement that cannot be kept is not worth making. Throws Error.
void check_outputs(const RunConfig& run);

void write_outputs(const RunPlan& plan, const MeasuredRun& run, Surroundings& around);

}  // namespace lockstep
