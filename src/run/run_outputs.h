// run_outputs.h: writes the output files of a run.
#pragma once

#include "run/measure_run.h"

namespace lockstep {

// Before anything runs: a measurement that cannot be kept is not worth making. Throws UsageError.
void check_outputs(const RunConfig& run);      // files, which are written on the launcher's host
void check_directories(const RunConfig& run);  // on the host of rank 0, where they are written

void write_outputs(const RunPlan& plan, const MeasuredRun& run, Context& context);

}  // namespace lockstep
