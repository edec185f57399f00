// strategy_runs.h: trains a small network with a strategy, on ranks of any kind.
//
// Every worker starts from other values, of which only worker 0's count, and gets its share of the
// examples of every step. The reference is one replica that gets all of them.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "engine/reference/replica.h"
#include "engine/reference/small_networks.h"
#include "nn/optimizer.h"
#include "sync/server.h"
#include "sync/strategies.h"

namespace lockstep {

struct StrategyRun {
  std::string strategy = "replicated";
  SyncOptions options = {};
  int workers = 2, servers = 0;
  OptimizerSettings optimizer = {.name = "momentum", .weight_decay = 0.01};
  std::string network = "ConvWithTwoReaders";  // without batch normalisation
  int steps = 3;
  std::string ranks = "local";  // of rank_runners()
  std::function<void(Communicator&)> server = [](Communicator& everyone) { run_server(everyone); };
  int first_step = 0;  // whose examples and learning rate come first
  // Called on each worker before start() and before finish().
  std::function<void(Strategy&strategy, ParameterArena&arena)> begin = {}, end = {};
  // Called on each worker before each step; may throw.
  std::function<void(int worker, int step)> before_step = {};
};

struct WorkerResult {
  std::vector<std::vector<float>> values;  // after the last step, by parameter, in plain layout
  std::vector<double> losses, squares;     // by step, of this worker
  std::vector<std::string> transfers;

  bool operator==(const WorkerResult&) const = default;
};

struct RunOutcome {
  std::vector<WorkerResult> workers;
  std::vector<std::string> errors;  // by rank, servers last; empty: ended well
};

constexpr double kRate = 0.05;
inline double rate_of(int step) { return kRate / (1 + step); }

Examples share_of(const StrategyRun& run, int worker, int step);  // of the examples of one step

RunOutcome try_run(const StrategyRun& run);
std::vector<WorkerResult> train(const StrategyRun& run);  // no rank may fail
WorkerResult train_on_joined_batch(const StrategyRun& run);

}  // namespace lockstep
