// What every strategy keeps to, with every option that does not change what is computed, on every
// kind of communicator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "comm/gather.h"
#include "engine/reference/replica.h"
#include "support/ranks.h"
#include "support/strategy_runs.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

#ifdef __SANITIZE_THREAD__  // which makes every access slow
constexpr int kWorkerCounts[] = {2};
#else
constexpr int kWorkerCounts[] = {1, 2, 4};
#endif

// A strategy with the options under which it still does exactly synchronous SGD.
struct Variant {
  std::string name;
  std::string strategy;
  int servers;
  SyncOptions options;
  bool on_networks = false;  // tried there too, where messages are slow
};
void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.name; }

std::vector<Variant> variants() {
  const SyncOptions sharded{.sharded = true, .sharded_bytes = 256};
  return {
      {"AllReduce", "replicated", 0, {}},
      {"AllReduceSmallBuckets", "horovod", 0, {.bucket_bytes = 256}, true},
      {"AllReduceNoOverlap", "collective_all_reduce", 0, {.bucket_bytes = 1, .overlap = false}},
      {"AllReduceRepacked", "replicated", 0, {.repacking = 3}},
      {"AllReduceSmallTogether",
       "distributed_all_reduce",
       0,
       {.small_bytes = 128, .small_group = 2}},
      {"OneServer", "parameter_server", 1, {}},
      {"TwoServersNoOverlap", "parameter_server", 2, {.overlap = false}},
      {"ThreeServersSharded", "parameter_server", 3, sharded, true},
      {"OneServerCopies", "distributed_replicated", 1, {}, true},
      {"TwoServersCopiesSmallTogether", "distributed_replicated", 2, {.small_bytes = 128}},
      {"ThreeServersCopiesSharded", "distributed_replicated", 3, sharded},
      {"TwoServersCopiesNoOverlap", "distributed_replicated", 2, {.overlap = false}},
  };
}

using OnRanks = std::pair<Variant, std::string>;
void PrintTo(const OnRanks& on, std::ostream* out) { *out << on.first.name << " on " << on.second; }

std::vector<OnRanks> variants_on_ranks(int fewest_servers) {
  std::vector<OnRanks> all;
  for (const Variant& variant : variants()) {
    if (variant.servers < fewest_servers) continue;
    for (const RankRunner& ranks : rank_runners()) {
      const bool network = ranks.name != "local" && ranks.name != "shm";
      if (variant.on_networks || !network) all.push_back({variant, ranks.name});
    }
  }
  return all;
}

class StrategyContract : public ::testing::TestWithParam<OnRanks> {
 protected:
  StrategyRun run_of(int workers) const {
    const auto& [variant, ranks] = GetParam();
    return {.strategy = variant.strategy,
            .options = variant.options,
            .workers = workers,
            .servers = variant.servers,
            .ranks = ranks};
  }
};

void expect_close(const WorkerResult& actual, const WorkerResult& expected) {
  for (size_t id = 0; id < expected.values.size(); ++id) {
    EXPECT_LE(distance(actual.values[id], expected.values[id]),
              1e-4 * norm(expected.values[id]) + 1e-6)
        << "parameter " << id;
  }
  for (size_t step = 0; step < expected.squares.size(); ++step) {
    EXPECT_NEAR(actual.squares[step], expected.squares[step], 1e-4 * expected.squares[step])
        << "step " << step;
  }
}

TEST_P(StrategyContract, WorkersTogetherMatchOneWorkerOnTheJoinedBatch) {
  for (const int workers : kWorkerCounts) {
    const StrategyRun run = run_of(workers);
    const WorkerResult expected = train_on_joined_batch(run);
    for (const WorkerResult& actual : train(run)) {
      SCOPED_TRACE(fmt::format("{} workers", workers));
      expect_close(actual, expected);
    }
  }
}

// Statistics are each replica's own, so only the replicas can be compared.
TEST_P(StrategyContract, WithBatchNormalisationReplicasStayEqualAndRunsRepeatBitForBit) {
  StrategyRun run = run_of(3);
  run.network = "ConvNormReluTwice";
  const auto results = train(run);
  for (const WorkerResult& worker : results) {
    EXPECT_EQ(worker.values, results[0].values);
    EXPECT_EQ(worker.squares, results[0].squares);
  }
  EXPECT_EQ(train(run), results);
}

TEST_P(StrategyContract, AFailingWorkerEndsAllRanksAndIsNamed) {
  constexpr int kVictim = 1;
  StrategyRun run = run_of(3);
  run.before_step = [](int worker, int step) {
    if (worker == kVictim && step == 2) throw Error("out of luck");
  };
  const RunOutcome outcome = try_run(run);
  for (int rank = 0; rank < std::ssize(outcome.errors); ++rank) {
    EXPECT_THAT(outcome.errors[rank], HasSubstr(rank == kVictim ? "out of luck" : "rank 1"))
        << "rank " << rank;
  }
}

class ServerContract : public StrategyContract {};

TEST_P(ServerContract, ALostServerEndsAllRanksAndIsNamed) {
  StrategyRun run = run_of(2);
  run.server = [](Communicator& everyone) {
    if (everyone.rank() > 2) return run_server(everyone);
    broadcast_text(everyone, "", 0);
    throw Error("out of luck");
  };
  const RunOutcome outcome = try_run(run);
  EXPECT_EQ(outcome.errors[2], "out of luck");
  for (const int worker : {0, 1}) EXPECT_THAT(outcome.errors[worker], HasSubstr("rank 2"));
}

std::string name_of(const ::testing::TestParamInfo<OnRanks>& test) {
  return test.param.first.name + "_" + test.param.second;
}
INSTANTIATE_TEST_SUITE_P(All, StrategyContract, ::testing::ValuesIn(variants_on_ranks(0)), name_of);
INSTANTIATE_TEST_SUITE_P(All, ServerContract, ::testing::ValuesIn(variants_on_ranks(1)), name_of);

// The arithmetic of each optimizer does not depend on how messages travel.
class StrategyOptimizers : public ::testing::TestWithParam<Variant> {};

TEST_P(StrategyOptimizers, WorkersTogetherMatchOneWorkerOnTheJoinedBatch) {
  for (const std::string_view optimizer : optimizer_names()) {
    SCOPED_TRACE(optimizer);
    const StrategyRun run{
        .strategy = GetParam().strategy,
        .options = GetParam().options,
        .workers = 3,
        .servers = GetParam().servers,
        .optimizer = {.name = std::string(optimizer), .weight_decay = 0.01, .gradient_clip = 0.2}};
    const WorkerResult expected = train_on_joined_batch(run);
    for (const WorkerResult& actual : train(run)) expect_close(actual, expected);
  }
}
INSTANTIATE_TEST_SUITE_P(All, StrategyOptimizers, ::testing::ValuesIn(variants()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace lockstep
