// program_result.h: the result of a run of an external program. What it does not print is unknown:
// NaN here, null in the file.
#pragma once

#include "base/context.h"
#include "external/external_run.h"
#include "external/readings.h"
#include "process/run_commands.h"
#include "report/results/run_result.h"

namespace lockstep {

// Without numbers.
RunResult started_result(const Context& context, const ExternalRun& run);

// With the numbers, or with the reason of the failure.
RunResult finished_result(RunResult started, const ExternalRun& run, const PlanOutcome& outcome,
                          const Readings& readings);

}  // namespace lockstep
