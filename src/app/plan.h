// plan.h: what a configuration comes to: decided first, as plain values, before anything is
// allocated or written.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/engines.h"
#include "config/run_config.h"
#include "nn/optimizer.h"
#include "nn/schedule.h"
#include "nn/zoo.h"
#include "report/run_result.h"

namespace lockstep {

struct RunPlan {
  RunConfig config;
  const EngineKind* engine;
  Graph graph;
  RunFacts facts;
  EngineOptions engine_options;
  OptimizerSettings optimizer;
  Schedule schedule;
  double epochs;  // of the timed steps
};

// `usable_threads`: what --threads 0 stands for. Throws UsageError with every problem there is.
RunPlan plan_run(const RunConfig& run, std::span<const EngineKind> engines, int usable_threads);

}  // namespace lockstep
