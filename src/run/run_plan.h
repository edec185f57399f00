// run_plan.h: a configuration resolved to plain values, before anything is allocated or written.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "config/run_config.h"
#include "nn/optimizer.h"
#include "nn/schedule.h"
#include "nn/zoo.h"
#include "report/results/run_result.h"
#include "run/engines.h"
#include "sync/strategies.h"

namespace lockstep {

// Where a run begins: at zero, or where a checkpoint ends.
struct ResumePoint {
  int64_t step = 0;      // updates so far
  int64_t examples = 0;  // that all workers of the runs before have seen
  int64_t schedule = 0;  // steps of this run's batch that these examples make: for learning rates
};

struct RunPlan {
  RunConfig config;
  const EngineKind* engine;
  Graph graph;
  RunFacts facts;
  EngineOptions engine_options;
  OptimizerSettings optimizer;
  Schedule schedule = {};
  int64_t examples_per_epoch = 0;
  double epochs = 0;  // of the timed steps
  const StrategyKind* strategy;
  uint64_t first_values_seed;
  ResumePoint resume_point = {};
};

// Options that the strategy has no use for or cannot have: the result would claim what was not run.
// Throws UsageError when there is no such strategy.
std::vector<std::string> strategy_problems(const RunConfig& run);

// The part of the plan that is the same on all `workers`. Throws UsageError with every problem
// there is. A process plans once: before it meets the others, so that mistakes cost nothing.
RunPlan plan_run(const RunConfig& run, std::span<const EngineKind> engines, int workers);

// What a worker learns when it has met the others.
struct WorkerShare {
  int threads = 1;  // what --threads 0 stands for
  int rank = 0;
  int64_t training_examples = 0;  // that --data-dir holds; 0: as many as the data set is known for
};

// Completes the plan for one worker: threads, seed, and the steps and learning rates that follow
// from the number of examples. Throws UsageError when those are too many steps.
void assign_worker(RunPlan& plan, const WorkerShare& share);

}  // namespace lockstep
