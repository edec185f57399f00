// A run that is cut in two is the same run: every strategy with every optimizer.
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>

#include "support/strategy_runs.h"

namespace lockstep {
namespace {

struct Case {
  std::string name;
  StrategyRun run;
};

std::vector<Case> cases() {
  const Case strategies[] = {
      {"alone", {.strategy = "replicated", .workers = 1}},
      {"replicated", {.strategy = "replicated"}},
      {"relaxed", {.strategy = "replicated", .options = {.relaxed = true}}},
      {"servers", {.strategy = "parameter_server", .servers = 2}},
      {"sharded",
       {.strategy = "parameter_server",
        .options = {.sharded = true, .sharded_bytes = 64},
        .servers = 2}},
      {"staged", {.strategy = "parameter_server", .options = {.staged = true}, .servers = 1}},
      {"grouped",
       {.strategy = "parameter_server", .options = {.small_bytes = 1 << 20}, .servers = 1}},
      {"copies", {.strategy = "distributed_replicated", .servers = 1}},
  };
  std::vector<Case> all;
  for (const Case& strategy : strategies) {
    for (const std::string_view optimizer : optimizer_names()) {
      all.push_back({strategy.name + "_" + std::string(optimizer), strategy.run});
      all.back().run.optimizer = {.name = std::string(optimizer), .weight_decay = 0.01};
    }
  }
  return all;
}

class CarryOn : public ::testing::TestWithParam<Case> {};

TEST_P(CarryOn, ThreeStepsAndThreeResumedGiveTheBitsOfSix) {
  StrategyRun whole = GetParam().run;
  whole.steps = 6;
  const std::vector<WorkerResult> expected = train(whole);

  Carried kept;
  std::once_flag first;  // any replica may be asked: one of them is
  StrategyRun begun = GetParam().run;
  begun.end = [&](Strategy& strategy, ParameterArena&) {
    std::call_once(first, [&] { kept = strategy.carried(); });
  };
  train(begun);
  StrategyRun rest = GetParam().run;
  rest.first_step = 3;
  rest.begin = [&](Strategy& strategy, ParameterArena& arena) {
    std::ranges::copy(kept.values, arena.all_values().begin());
    strategy.carry_on(kept);
  };
  const std::vector<WorkerResult> actual = train(rest);

  for (size_t worker = 0; worker < expected.size(); ++worker) {
    EXPECT_EQ(actual[worker].values, expected[worker].values);
    for (size_t step = 0; step < 3; ++step) {
      EXPECT_EQ(actual[worker].losses[step], expected[worker].losses[step + 3]) << step;
      const double squares = expected[worker].squares[step + 3];  // servers add them up anew
      EXPECT_NEAR(actual[worker].squares[step], squares, 1e-5 * squares) << step;
    }
  }
}

TEST_P(CarryOn, TheNewestValuesAreThoseThatAreCarried) {
  StrategyRun run = GetParam().run;
  std::mutex mutex;
  run.end = [&](Strategy& strategy, ParameterArena& arena) {
    const std::lock_guard one_at_a_time(mutex);
    std::vector<float> newest(arena.all_values().size());
    strategy.newest_values(newest);
    EXPECT_EQ(newest, strategy.carried().values);
  };
  train(run);
}

INSTANTIATE_TEST_SUITE_P(, CarryOn, ::testing::ValuesIn(cases()),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace lockstep
