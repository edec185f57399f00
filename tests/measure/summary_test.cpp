#include "measure/summary.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

StepRecord step(double seconds) {
  StepRecord record;
  record.duration = Seconds(seconds);
  record.phase(Phase::Forward) = Seconds(seconds / 4);
  record.images = 32;
  return record;
}

TEST(Summary, SummarisesSteps) {
  const Summary summary = summarize(std::vector<StepRecord>{step(1), step(3)}, 16);
  EXPECT_DOUBLE_EQ(summary.median_step, 2);
  EXPECT_DOUBLE_EQ(summary.fastest_step, 1);
  EXPECT_DOUBLE_EQ(summary.slowest_step, 3);
  EXPECT_DOUBLE_EQ(summary.mean_phases[static_cast<size_t>(Phase::Forward)], 0.5);
  EXPECT_EQ(summary.steps, 2);
}

TEST(Summary, ASlowStartIsLeftOutAndReported) {
  std::vector<StepRecord> steps;
  for (int i = 0; i < 60; ++i) steps.push_back(step(i < 5 ? 9 : 1 + 0.001 * (i % 3)));
  const Summary summary = summarize(steps, 32);
  EXPECT_GE(summary.steady_state.dropped_steps, 5);
  EXPECT_EQ(summary.steps, 60 - summary.steady_state.dropped_steps);
  EXPECT_LT(summary.slowest_step, 2);
  EXPECT_EQ(summary.outlier_steps, (std::vector<int>{1, 2, 3, 4, 5}));
}

TEST(Summary, TheIntervalIsAroundTheThroughputOfTheLaunch) {
  std::vector<StepRecord> steps;
  for (int i = 0; i < 60; ++i) steps.push_back(step(1 + 0.01 * (i % 3)));
  const Summary alone = summarize(steps, 32 / 1.01), slower = summarize(steps, 16 / 1.01);
  EXPECT_DOUBLE_EQ(slower.images_per_second, 16 / 1.01);
  EXPECT_LT(slower.images_per_second_95->low, slower.images_per_second);
  EXPECT_GT(slower.images_per_second_95->high, slower.images_per_second);
  EXPECT_NEAR(slower.images_per_second_95->low, alone.images_per_second_95->low / 2, 1e-12);
}

TEST(Summary, WithoutASteadyStateNothingIsLeftOut) {
  std::vector<StepRecord> steps;
  for (int i = 0; i < 60; ++i) steps.push_back(step(1 + 0.05 * i));
  const Summary summary = summarize(steps, 32);
  EXPECT_FALSE(summary.steady_state.reached());
  EXPECT_EQ(summary.steps, 60);
  EXPECT_EQ(summary.steady_state.dropped_steps, 0);
}

}  // namespace
}  // namespace lockstep
