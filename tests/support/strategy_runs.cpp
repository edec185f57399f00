#include "support/strategy_runs.h"

#include <gtest/gtest.h>

#include "comm/local.h"
#include "engine/reference/reference_engine.h"
#include "engine/reference/replica.h"
#include "support/ranks.h"
#include "train/replicated.h"

namespace lockstep {
namespace {

struct Share {
  int worker = 0, workers = 1;
  int total_batch = 0;
};

// A worker's part of the examples of one step.
Examples share_of(const Graph& graph, const Share& share, int step) {
  const Examples all = random_examples(graph, share.total_batch, 100 + step);
  const auto part = [&](const auto& whole) {
    const auto count = std::ssize(whole) / share.workers;
    return std::decay_t<decltype(whole)>(whole.begin() + share.worker * count,
                                         whole.begin() + (share.worker + 1) * count);
  };
  return {.images = part(all.images), .labels = part(all.labels)};
}

WorkerResult train_one(const StrategyRun& run, const Share& share, const Peers& peers) {
  const SmallNetwork network = small_network(run.network);
  Replica replica(network.graph, make_reference_engine(
                                     network.graph, {.batch = share.total_batch / share.workers}));
  replica.fill(1 + share.worker);
  const auto strategy = find_strategy(run.strategy)
                            .make(replicated_of(replica.engine(), replica.arena(), run.optimizer),
                                  peers, run.options);
  WorkerResult result;
  if (run.begin) run.begin(*strategy, replica.arena());
  strategy->start();
  for (int step = run.first_step; step < run.first_step + run.steps; ++step) {
    if (run.before_step) run.before_step(share.worker, step);
    const Examples examples = share_of(network.graph, share, step);
    strategy->begin_step(rate_of(step));
    result.squares.push_back(strategy->sum_of_squares());
    result.losses.push_back(replica.engine().forward(examples.batch()).loss);
    replica.engine().backward([&](ParameterId id) { strategy->gradient_ready(id); });
    strategy->finish_step();
    EXPECT_EQ(strategy->transfers().size(), strategy->transfer_times().size());
  }
  if (run.end) run.end(*strategy, replica.arena());
  strategy->finish();
  for (const Transfer& transfer : strategy->transfers()) result.transfers.push_back(transfer.name);
  for (ParameterId id = 0; id < replica.parameter_count(); ++id) {
    result.values.push_back(replica.plain_values(id));
  }
  return result;
}

int total_batch(const StrategyRun& run) { return small_network(run.network).batch * run.workers; }

}  // namespace

Examples share_of(const StrategyRun& run, int worker, int step) {
  return share_of(small_network(run.network).graph, {worker, run.workers, total_batch(run)}, step);
}

RunOutcome try_run(const StrategyRun& run) {
  RunOutcome outcome{.workers = std::vector<WorkerResult>(run.workers), .errors = {}};
  // Strategies with servers only ask how many workers there are.
  const auto workers_alone = make_local(run.workers);
  const auto rank = [&](Communicator& everyone) {
    if (everyone.rank() >= run.workers) return run.server(everyone);
    const Share share{everyone.rank(), run.workers, total_batch(run)};
    const Peers peers{run.servers > 0 ? workers_alone[share.worker].get() : &everyone,
                      run.servers > 0 ? &everyone : nullptr};
    outcome.workers[share.worker] = train_one(run, share, peers);
  };
  outcome.errors = find_rank_runner(run.ranks).run(run.workers + run.servers, {}, rank);
  return outcome;
}

std::vector<WorkerResult> train(const StrategyRun& run) {
  RunOutcome outcome = try_run(run);
  for (size_t rank = 0; rank < outcome.errors.size(); ++rank) {
    EXPECT_EQ(outcome.errors[rank], "") << run.strategy << " on " << run.ranks << ", rank " << rank;
  }
  return std::move(outcome.workers);
}

WorkerResult train_on_joined_batch(const StrategyRun& run) {
  StrategyRun alone = run;
  alone.strategy = "independent";
  return train_one(alone, {.total_batch = total_batch(run)}, {});
}

}  // namespace lockstep
