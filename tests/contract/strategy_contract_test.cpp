// What every strategy keeps to, with every option that does not change what is computed, on every
// kind of communicator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "support/ranks.h"
#include "support/replica.h"
#include "support/strategy_runs.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

// A strategy with the options under which it still does exactly synchronous SGD.
struct Variant {
  std::string name;
  std::string strategy;
  int servers;
  SyncOptions options;
};
void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.name; }

std::vector<Variant> variants() {
  return {
      {"AllReduce", "replicated", 0, {}},
      {"AllReduceSmallBuckets", "horovod", 0, {.bucket_bytes = 256}},
      {"AllReduceNoOverlap", "collective_all_reduce", 0, {.bucket_bytes = 1, .overlap = false}},
      {"AllReduceRepacked", "replicated", 0, {.repacking = 3}},
      {"AllReduceSmallTogether",
       "distributed_all_reduce",
       0,
       {.small_bytes = 128, .small_group = 2}},
      {"OneServer", "parameter_server", 1, {}},
      {"TwoServers", "parameter_server", 2, {.overlap = false}},
      {"ThreeServersSharded", "parameter_server", 3, {.sharded = true, .sharded_bytes = 256}},
      {"OneServerCopies", "distributed_replicated", 1, {}},
      {"TwoServersCopies", "distributed_replicated", 2, {.small_bytes = 128}},
      {"ThreeServersCopiesSharded",
       "distributed_replicated",
       3,
       {.sharded = true, .sharded_bytes = 256}},
      {"TwoServersCopiesNoOverlap", "distributed_replicated", 2, {.overlap = false}},
  };
}

class StrategyContract
    : public ::testing::TestWithParam<std::tuple<Variant, std::string /*ranks*/>> {
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

TEST_P(StrategyContract, WorkersTogetherDoWhatOneDoesOnTheJoinedBatch) {
  for (const std::string_view optimizer : optimizer_names()) {
    for (const int workers : {1, 2, 4}) {
      StrategyRun run = run_of(workers);
      run.optimizer.name = optimizer;
      const WorkerResult expected = train_on_joined_batch(run);
      const auto results = train(run);
      for (const WorkerResult& actual : results) {
        for (size_t id = 0; id < expected.values.size(); ++id) {
          EXPECT_LE(distance(actual.values[id], expected.values[id]),
                    1e-4 * norm(expected.values[id]) + 1e-6)
              << optimizer << ", " << workers << " workers, parameter " << id;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, StrategyContract,
    ::testing::Combine(::testing::ValuesIn(variants()),
                       ::testing::Values("local", "shm", "gloo", "hierarchical")),
    [](const auto& test) { return std::get<0>(test.param).name + "_" + std::get<1>(test.param); });

}  // namespace
}  // namespace lockstep
