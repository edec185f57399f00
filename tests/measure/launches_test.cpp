#include "measure/launches.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "measure/mann_kendall.h"
#include "measure/student.h"

namespace lockstep {
namespace {

// Quantiles from the inverse of the incomplete beta function with 30 digits.
TEST(Student, AgreesWithTables) {
  const struct {
    double freedom, t;
  } table[] = {
      {1, 12.7062047362},   {1.01, 12.4127384991}, {1.5, 6.01666310443}, {2, 4.30265272975},
      {2.5, 3.574654842},   {3, 3.18244630528},    {4, 2.7764451052},    {5, 2.57058183564},
      {6, 2.44691185114},   {7, 2.36462425159},    {8, 2.3060041352},    {9, 2.2621571628},
      {10, 2.22813885199},  {10.5, 2.21384029292}, {30, 2.0422724563},   {120, 1.97993040508},
      {999, 1.96234146113}, {1001, 1.96233670528}, {1e6, 1.95996635681},
  };
  for (const auto& [freedom, t] : table) {
    EXPECT_NEAR(student_97_5(freedom) / t, 1, 1e-9) << freedom;
  }
}

TEST(Student, FallsWithTheDegreesOfFreedom) {
  for (double freedom = 1; freedom < 10; freedom += 0.1) {
    EXPECT_GT(student_97_5(freedom), student_97_5(freedom + 0.1)) << freedom;
  }
}

TEST(Launches, OneLaunchHasNoInterval) {
  const double one[] = {0.01};
  const LaunchSummary summary = summarize_launches(one);
  EXPECT_DOUBLE_EQ(summary.images_per_second, 100);
  EXPECT_FALSE(summary.images_per_second_95);
  EXPECT_FALSE(summary.precision());
}

TEST(Launches, TwoLaunchesHaveNoInterval) {
  const double two[] = {0.01, 0.02}, three[] = {0.01, 0.011, 0.012};
  EXPECT_FALSE(summarize_launches(two).images_per_second_95);
  EXPECT_GT(summarize_launches(two).cv, 0.4);
  EXPECT_FALSE(speed_ratio(two, three).interval_95);
  EXPECT_FALSE(speed_ratio(three, two).interval_95);
}

TEST(Launches, AnIntervalIsFiniteHoweverMuchLaunchesDiffer) {
  const double wild[] = {0.001, 0.01, 10};
  const Interval rate = *summarize_launches(wild).images_per_second_95;
  EXPECT_GT(rate.low, 0);
  EXPECT_TRUE(std::isfinite(rate.high));
}

TEST(Launches, TheIntervalIsThatOfStudent) {
  const double times[] = {0.9, 1.0, 1.1};
  const LaunchSummary summary = summarize_launches(times);
  const double half = 4.30265 * 0.1 / std::sqrt(3.0);
  EXPECT_NEAR(summary.images_per_second_95->low, std::exp(-half), 1e-5);
  EXPECT_NEAR(summary.images_per_second_95->high, std::exp(half), 1e-5);
  EXPECT_NEAR(summary.cv, 0.1, 1e-12);
}

// Sums of uniform numbers, nearly normal.
std::vector<double> noisy(int n, double middle, double deviation, uint64_t seed) {
  std::vector<double> values;
  const RandomStream random(seed, 11);
  for (uint64_t i = 0; i < static_cast<uint64_t>(n); ++i) {
    double normal = -6;
    for (uint64_t k = 0; k < 12; ++k) normal += random.uniform(12 * i + k);
    values.push_back(middle * (1 + deviation * normal));
  }
  return values;
}

TEST(Launches, IntervalsHoldTheTruthAsOftenAsTheySay) {
  int held = 0, ratios_held = 0;
  constexpr int kTrials = 2000;
  for (uint64_t trial = 0; trial < kTrials; ++trial) {
    const std::vector<double> base = noisy(5, 0.01, 0.05, 2 * trial),
                              other = noisy(5, 0.004, 0.02, 2 * trial + 1);
    const Interval rate = *summarize_launches(base).images_per_second_95;
    held += rate.low <= 100 && 100 <= rate.high;
    const Interval ratio = *speed_ratio(base, other).interval_95;
    ratios_held += ratio.low <= 2.5 && 2.5 <= ratio.high;
  }
  EXPECT_NEAR(held, 0.95 * kTrials, 0.02 * kTrials);
  EXPECT_NEAR(ratios_held, 0.95 * kTrials, 0.02 * kTrials);
}

TEST(Launches, EqualLaunchesAreKnownExactly) {
  const double times[] = {0.5, 0.5, 0.5};
  EXPECT_DOUBLE_EQ(*summarize_launches(times).precision(), 0);
  EXPECT_DOUBLE_EQ(speed_ratio(times, times).interval_95->low, 1);
}

TEST(MannKendall, FindsATrendAndNoneInNoise) {
  const double rising[] = {1, 2, 3, 4, 5, 6, 8, 7};
  EXPECT_EQ(mann_kendall(rising).sign, 1);
  EXPECT_LT(mann_kendall(rising).p, 0.01);
  int alarms = 0;
  for (uint64_t trial = 0; trial < 1000; ++trial) {
    alarms += mann_kendall(noisy(8, 1, 0.05, trial)).p < 0.05;
  }
  EXPECT_LE(alarms, 70);
  const double equal[] = {1, 1, 1};
  EXPECT_EQ(mann_kendall(equal).sign, 0);
}

}  // namespace
}  // namespace lockstep
