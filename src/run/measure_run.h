// measure_run.h: executes a plan together with the other workers and gathers all measurements.
#pragma once

#include "base/context.h"
#include "measure/gpu_watch.h"
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
// `from`: the checkpoint to resume from, or null. `gpu`: watches this worker's GPU, or null.
MeasuredRun measure_run(const RunPlan& plan, Engine& engine, Group& group, RunResult started,
                        Context& context, BenchmarkLog* log, const Checkpoint* from, GpuWatch* gpu);

// Forward is one product per layer, backward two; a multiply-add is two operations. `total`: the
// longest loop of any rank. `peak`: GFLOP/s that the machine can reach, if known.
Throughput throughput_of(const RunPlan& plan, const RunResult& result, Seconds total,
                         std::optional<double> peak);
EnergyResult energy_of(const RunResult& result, double joules, const PhaseJoules& phases);
Seconds slowest_total(const std::vector<RankResult>& ranks);

}  // namespace lockstep
