#include "sync/strategies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "support/strategy_runs.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> problems(const std::string& strategy, const SyncOptions& options) {
  return problems_in(find_strategy(strategy), options);
}

TEST(Strategies, TakeTheDefaults) {
  for (const StrategyKind& kind : strategies()) EXPECT_THAT(problems_in(kind, {}), IsEmpty());
}

TEST(Strategies, AnUnknownNameShowsThoseThatExist) {
  try {
    find_strategy("replicate");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("replicated"));
    EXPECT_THAT(error.what(), HasSubstr("distributed_replicated"));
  }
}

TEST(Strategies, OptionsOfOtherStrategiesAreRefusedByName) {
  EXPECT_THAT(problems("replicated", {.staged = true}), ElementsAre(HasSubstr("--staged-vars")));
  EXPECT_THAT(problems("distributed_replicated", {.synchronous = false}),
              ElementsAre(HasSubstr("--no-cross-replica-sync")));
  EXPECT_THAT(problems("parameter_server", {.repacking = 2, .relaxed = true}),
              ElementsAre(HasSubstr("--gradient-repacking"), HasSubstr("relaxed")));
  EXPECT_THAT(problems("horovod", {.repacking = 2, .small_bytes = 100}),
              ElementsAre(HasSubstr("give one of them")));
  EXPECT_THAT(problems("horovod", {.bucket_bytes = 0}), ElementsAre(HasSubstr("--bucket-mb")));
}

TEST(Strategies, WithServersNeedSome) {
  const RunOutcome outcome = try_run({.strategy = "parameter_server", .workers = 1, .servers = 0});
  EXPECT_THAT(outcome.errors[0], HasSubstr("--num-ps"));
}

// How gradients travel together changes when they arrive, not what they are.
TEST(Strategies, PackingAndOverlapChangeNoBitOfTwoReplicas) {
  const auto values = [](const SyncOptions& options) {
    return train({.options = options})[0].values;
  };
  const auto expected = values({});
  EXPECT_EQ(values({.bucket_bytes = 1}), expected);
  EXPECT_EQ(values({.bucket_bytes = 1, .overlap = false}), expected);
  EXPECT_EQ(values({.repacking = 3}), expected);
  EXPECT_EQ(values({.small_bytes = 100}), expected);
}

TEST(Strategies, NameWhatTheyTransfer) {
  const auto names = [](const std::string& strategy, int servers, const SyncOptions& options) {
    return train({.strategy = strategy, .options = options, .servers = servers})[0].transfers;
  };
  EXPECT_THAT(names("replicated", 0, {.repacking = 2}), ElementsAre("bucket 0", "bucket 1"));
  const auto pushed = names("parameter_server", 1, {});
  EXPECT_EQ(pushed.front(), "push logits/bias");
  EXPECT_EQ(pushed[pushed.size() / 2], "pull logits/bias");
}

}  // namespace
}  // namespace lockstep
