#include "measure/precision_rule.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace lockstep {
namespace {

// Steps of about a second: so much noise, and so much slower from step to step.
std::vector<StepRecord> steps(int count, double noise, double drift = 0) {
  const RandomStream random(3, 1);
  std::vector<StepRecord> records(static_cast<size_t>(count));
  for (size_t i = 0; i < records.size(); ++i) {
    const double place = static_cast<double>(i);
    records[i].duration = Seconds(1 + noise * (random.uniform(i) - 0.5) + drift * place);
    records[i].images = 1;
  }
  return records;
}

TEST(PrecisionRule, EqualStepsAreEnoughAtTheFirstCheck) {
  EXPECT_TRUE(PrecisionRule(0.01).reached(steps(PrecisionRule::kFirstLook, 0.001)));
}

TEST(PrecisionRule, NoisyStepsNeedMoreStepsForMorePrecision) {
  EXPECT_FALSE(PrecisionRule(0.01).reached(steps(30, 0.5)));
  EXPECT_TRUE(PrecisionRule(0.2).reached(steps(30, 0.5)));
  EXPECT_TRUE(PrecisionRule(0.01).reached(steps(3000, 0.5)));
}

TEST(PrecisionRule, ARunWithoutASteadyStateNeverStopsEarly) {
  EXPECT_FALSE(PrecisionRule(0.5).reached(steps(200, 0.01, 0.01)));
}

TEST(PrecisionRule, ChecksBecomeRarerInLongRuns) {
  PrecisionRule rule(0.01);
  int looks = 0;
  for (int step = 1; step <= 10000; ++step) {
    if (!rule.due(step)) continue;
    ++looks;
    rule.looked();
  }
  EXPECT_GT(looks, 10);
  EXPECT_LT(looks, 20);
}

}  // namespace
}  // namespace lockstep
