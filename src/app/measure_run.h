// measure_run.h: carries out a plan and puts together what it measured.
#pragma once

#include "app/plan.h"
#include "app/program.h"
#include "report/benchmark_log.h"
#include "report/chrome_trace.h"

namespace lockstep {

struct MeasuredRun {
  RunResult result;
  std::vector<TraceEvent> trace;  // only with --trace-file
};

// `engine` is the plan's, not yet bound. `started`: the result so far, with what is known before
// the run. `log` may be null.
MeasuredRun measure_run(const RunPlan& plan, Engine& engine, RunResult started,
                        Surroundings& around, BenchmarkLog* log);

}  // namespace lockstep
