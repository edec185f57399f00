// measure_run.h: executes a plan together with the other workers and gathers all measurements.
#pragma once

#include "base/context.h"
#include "report/results/benchmark_log.h"
#include "report/results/chrome_trace.h"
#include "run/group.h"
#include "run/run_plan.h"
#include "train/checkpoint.h"

namespace lockstep {

struct MeasuredRun {
  RunResult result;
  std::vector<RankTrace> traces;  // only with --trace-file
};

// `engine` is the plan's, not yet bound. `started`: the result so far, with what is known before
// the run. `log` may be null. Only rank 0 gets the whole result; the others get their own steps.
// `from`: the checkpoint to resume from, or null.
MeasuredRun measure_run(const RunPlan& plan, Engine& engine, Group& group, RunResult started,
                        Context& context, BenchmarkLog* log, const Checkpoint* from);

}  // namespace lockstep
