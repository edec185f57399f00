#include "sync/independent.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

constexpr int64_t kFloats[] = {2, 3};
constexpr ParameterId kOrder[] = {1, 0};

// Two parameters, of which the first decays; plain SGD.
struct Fixture {
  explicit Fixture(double weight_decay = 0)
      : strategy({.arena = arena,
                  .optimizer = {.name = "sgd", .weight_decay = weight_decay},
                  .parameters = {{2, true}, {3, false}},
                  .values_changed = [this](ParameterId id) { changed.push_back(id); }}) {}

  ParameterArena arena{kFloats, kOrder};
  std::vector<ParameterId> changed;
  Independent strategy;
};

TEST(Independent, AppliesEachGradientWhenItIsReady) {
  Fixture fixture;
  fixture.arena.values(1)[0] = 1;
  fixture.arena.gradient(1)[0] = 2;
  fixture.strategy.start();
  fixture.changed.clear();
  fixture.strategy.begin_step(0.25);
  fixture.strategy.gradient_ready(1);
  EXPECT_FLOAT_EQ(fixture.arena.values(1)[0], 0.5);
  EXPECT_EQ(fixture.changed, (std::vector<ParameterId>{1}));
  fixture.strategy.gradient_ready(0);
  EXPECT_EQ(fixture.strategy.finish_step().count(), 0);
  EXPECT_EQ(fixture.changed, (std::vector<ParameterId>{1, 0}));
}

TEST(Independent, KnowsTheSquaresOfWhatTheNextStepReads) {
  Fixture fixture;
  fixture.arena.values(0)[0] = 3;
  fixture.arena.values(0)[1] = 4;
  fixture.arena.values(1)[0] = 100;  // does not decay
  fixture.arena.gradient(0)[0] = 1;
  fixture.strategy.start();
  EXPECT_DOUBLE_EQ(fixture.strategy.sum_of_squares(), 25);
  fixture.strategy.begin_step(1);
  fixture.strategy.gradient_ready(1);
  fixture.strategy.gradient_ready(0);
  EXPECT_DOUBLE_EQ(fixture.strategy.sum_of_squares(), 25);  // still of this step
  fixture.strategy.finish_step();
  EXPECT_DOUBLE_EQ(fixture.strategy.sum_of_squares(), 4 + 16);
}

TEST(Independent, WeightDecayPullsTowardsZero) {
  Fixture fixture(0.5);
  fixture.arena.values(0)[0] = 2;
  fixture.arena.values(1)[0] = 2;
  fixture.strategy.start();
  fixture.strategy.begin_step(1);
  fixture.strategy.gradient_ready(0);
  fixture.strategy.gradient_ready(1);
  fixture.strategy.finish_step();
  EXPECT_FLOAT_EQ(fixture.arena.values(0)[0], 1);
  EXPECT_FLOAT_EQ(fixture.arena.values(1)[0], 2);
}

}  // namespace
}  // namespace lockstep
