#include "measure/steady_state.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace lockstep {
namespace {

std::vector<double> steps(int count, double (*level)(int)) {
  const RandomStream random(5, 0);
  std::vector<double> seconds;
  for (int i = 0; i < count; ++i) seconds.push_back(level(i) * (0.99 + 0.02 * random.uniform(i)));
  return seconds;
}

TEST(SteadyState, EvenStepsAreSteadyFromTheStart) {
  const SteadyState state = find_steady_state(steps(100, [](int) { return 1.0; }));
  EXPECT_EQ(state.steadiness, Steadiness::Steady);
  EXPECT_LE(state.dropped_steps, 45);
  EXPECT_LT(std::abs(state.drift), 0.01);
}

TEST(SteadyState, ASlowStartIsDroppedAndCounted) {
  const SteadyState state = find_steady_state(steps(100, [](int i) { return i < 10 ? 3.0 : 1.0; }));
  EXPECT_EQ(state.steadiness, Steadiness::Steady);
  EXPECT_GE(state.dropped_steps, 10);
  EXPECT_LE(state.dropped_steps, 45);
}

TEST(SteadyState, GettingSlowerAllTheTimeIsNoSteadyState) {
  EXPECT_EQ(find_steady_state(steps(100, [](int i) { return 1 + 0.005 * i; })).steadiness,
            Steadiness::SlowingDown);
}

TEST(SteadyState, GettingFasterAllTheTimeIsNoSteadyState) {
  EXPECT_EQ(find_steady_state(steps(100, [](int i) { return 2 - 0.005 * i; })).steadiness,
            Steadiness::SpeedingUp);
}

TEST(SteadyState, AChangeAtHalfTimeHasNotSettled) {
  const auto state = find_steady_state(steps(100, [](int i) { return i < 50 ? 2.0 : 1.0; }));
  EXPECT_EQ(state.steadiness, Steadiness::NeverSettled);
}

TEST(SteadyState, FewStepsAreNotJudged) {
  EXPECT_EQ(find_steady_state(steps(19, [](int) { return 1.0; })).steadiness,
            Steadiness::TooFewSteps);
}

TEST(SteadyState, LongRunsAreJudgedToo) {
  EXPECT_TRUE(find_steady_state(steps(5000, [](int) { return 1.0; })).reached());
}

TEST(TheilSen, TheSlopeOfALineIsExactAndOutliersDoNotMoveIt) {
  std::vector<double> line;
  for (int i = 0; i < 20; ++i) line.push_back(2.0 * i);
  line[7] = 1000;
  const Slope slope = theil_sen(line);
  EXPECT_DOUBLE_EQ(slope.middle, 2);
  EXPECT_LE(slope.interval.low, 2);
  EXPECT_GE(slope.interval.high, 2);
}

}  // namespace
}  // namespace lockstep
