#include "external/running_means.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

// Means as a program prints them that takes `times[i]` for its step i+1.
std::vector<Reading> printed(const std::vector<double>& times, int64_t every, double rounding) {
  std::vector<Reading> means;
  double total = 0;
  for (size_t i = 0; i < times.size(); ++i) {
    total += times[i];
    const auto step = static_cast<int64_t>(i) + 1;
    if (step != 1 && step % every != 0) continue;
    means.push_back({.worker = "0",
                     .step = step,
                     .images_per_second = static_cast<double>(step) / total,
                     .rounding = rounding});
  }
  return means;
}

const std::vector<double> kTimes = {0.5, 0.1, 0.1, 0.2, 0.2, 0.3, 0.1, 0.1};

TEST(RunningMeans, GiveTheRateOfEveryInterval) {
  const auto intervals = intervals_of(printed(kTimes, 2, 0));
  ASSERT_EQ(intervals.size(), 4u);
  EXPECT_NEAR(intervals[0].images_per_second, 2 / 0.6, 1e-9);
  EXPECT_NEAR(intervals[1].images_per_second, 2 / 0.3, 1e-9);
  EXPECT_NEAR(intervals[3].images_per_second, 2 / 0.2, 1e-9);
  EXPECT_EQ(intervals[3].step, 8);
}

TEST(RunningMeans, OfEveryStepGiveEveryStep) {
  const auto intervals = intervals_of(printed(kTimes, 1, 0));
  ASSERT_EQ(intervals.size(), kTimes.size());
  for (size_t i = 0; i < kTimes.size(); ++i) {
    EXPECT_NEAR(intervals[i].images_per_second, 1 / kTimes[i], 1e-9);
  }
}

TEST(RunningMeans, GiveNothingWhenRoundingCouldMoveASampleByMoreThanTwoPercent) {
  // The last interval takes 2/16 of all time: 4.2 and 4.8 per second, each up to 0.01 off.
  EXPECT_EQ(intervals_of(printed(kTimes, 2, 0.005)).size(), 4u);
  EXPECT_TRUE(intervals_of(printed(kTimes, 2, 0.01)).empty());
}

TEST(RunningMeans, WithoutRegularStepNumbersGiveNothing) {
  auto without = printed(kTimes, 2, 0);
  without[1].step.reset();
  EXPECT_TRUE(intervals_of(without).empty());
  auto irregular = printed(kTimes, 2, 0);
  irregular.erase(irregular.begin() + 2);
  EXPECT_TRUE(intervals_of(irregular).empty());
  auto again = printed(kTimes, 2, 0);
  again[3].step = 2;
  EXPECT_TRUE(intervals_of(again).empty());
  EXPECT_TRUE(intervals_of({}).empty());
}

TEST(RunningMeans, RoundingIsHalfOfTheLastDigit) {
  EXPECT_EQ(rounding_of("402.7"), 0.05);
  EXPECT_EQ(rounding_of("402"), 0.5);
  EXPECT_EQ(rounding_of("4e2"), std::nullopt);
}

}  // namespace
}  // namespace lockstep
