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
#include "sync/strategies.h"

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
  const StrategyKind* strategy;
  uint64_t first_values_seed;
};

// The worker that a plan is for.
struct WorkerShare {
  int threads = 1;  // what --threads 0 stands for
  int rank = 0, workers = 1;
};

// Options that the strategy has no use for or cannot have: the result would claim what was not run.
// Throws UsageError when there is no such strategy.
std::vector<std::string> strategy_problems(const RunConfig& run);

// Throws UsageError with every problem there is.
RunPlan plan_run(const RunConfig& run, std::span<const EngineKind> engines,
                 const WorkerShare& share);

}  // namespace lockstep
