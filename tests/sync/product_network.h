// product_network.h: the smallest network there is: loss = mean(x) A B, with A = 1 and B = 2 at
// first. Its gradients are known without any engine.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "comm/communicator.h"
#include "comm/local.h"
#include "nn/l2.h"
#include "support/ranks.h"
#include "sync/server.h"
#include "sync/strategies.h"

namespace lockstep {

constexpr double kSixteenth = 1.0 / 16;

struct ProductRun {
  std::string strategy = "independent";
  SyncOptions options = {};
  int workers = 1, servers = 0;
  OptimizerSettings optimizer = {.name = "sgd", .weight_decay = kSixteenth};
  double learning_rate = kSixteenth;
  int steps = 4;
  std::function<double(int worker, int step)> mean_x;  // of the worker's batch
};

struct ProductOutcome {
  std::vector<double> losses, base_losses;  // by step
  float a = 0, b = 0;                       // in the end
};

inline ProductOutcome train_product(const ProductRun& run, int worker, const Peers& peers) {
  constexpr int64_t kFloats[] = {1, 1};
  constexpr ParameterId kOrder[] = {1, 0};
  ParameterArena arena(kFloats, kOrder);
  float& a = arena.values(0)[0];
  float& b = arena.values(1)[0];
  a = 1, b = 2;
  const auto strategy =
      find_strategy(run.strategy)
          .make({arena, run.optimizer, {{1, true}, {1, true}}, [](ParameterId) {}}, peers,
                run.options);
  strategy->start();
  ProductOutcome outcome;
  for (int step = 0; step < run.steps; ++step) {
    strategy->begin_step(run.learning_rate);
    const double x = run.mean_x(worker, step);
    outcome.base_losses.push_back(x * a * b);
    outcome.losses.push_back(x * a * b +
                             l2_loss(run.optimizer.weight_decay, strategy->sum_of_squares()));
    // Both before the first is ready: then its value may change.
    arena.gradient(1)[0] = static_cast<float>(x * a);
    arena.gradient(0)[0] = static_cast<float>(x * b);
    for (const ParameterId id : kOrder) strategy->gradient_ready(id);
    strategy->finish_step();
  }
  strategy->finish();
  outcome.a = a, outcome.b = b;
  return outcome;
}

// By worker; ranks are threads.
inline std::vector<ProductOutcome> train_product(const ProductRun& run) {
  std::vector<ProductOutcome> outcomes(run.workers);
  const auto workers = make_local(run.workers);
  run_ranks("local", run.workers + run.servers, [&](Communicator& everyone) {
    const int rank = everyone.rank();
    if (rank >= run.workers) return run_server(everyone);
    const Peers peers{run.servers > 0 ? workers[rank].get() : &everyone,
                      run.servers > 0 ? &everyone : nullptr};
    outcomes[rank] = train_product(run, rank, peers);
  });
  return outcomes;
}

}  // namespace lockstep
