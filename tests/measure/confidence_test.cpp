#include "measure/confidence.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace lockstep {
namespace {

// Independent noise around one second, or noise whose level lasts for `run` steps.
std::vector<double> noise(int count, int run, uint64_t seed) {
  const RandomStream random(seed, 0);
  std::vector<double> samples;
  for (int i = 0; i < count; ++i) samples.push_back(0.9 + 0.2 * random.uniform(i / run));
  return samples;
}

TEST(Confidence, AutocorrelationOfAnAlternationIsNegative) {
  const std::vector<double> samples = {1, -1, 1, -1, 1, -1};
  EXPECT_DOUBLE_EQ(autocorrelation(samples, 0), 1);
  EXPECT_DOUBLE_EQ(autocorrelation(samples, 1), -5.0 / 6);
  EXPECT_DOUBLE_EQ(autocorrelation(std::vector<double>{2, 2, 2}, 1), 0);
}

TEST(Confidence, BlocksGrowWithTheDependence) {
  EXPECT_EQ(block_length(noise(125, 1, 1)), 5);  // the cube root
  const int alone = block_length(noise(400, 1, 1)), brief = block_length(noise(400, 15, 1)),
            lasting = block_length(noise(400, 40, 1));
  EXPECT_EQ(alone, 8);
  EXPECT_GT(brief, alone);
  EXPECT_LE(brief, 2 * 15);
  EXPECT_GT(lasting, brief);
  EXPECT_GE(lasting, 20);
  EXPECT_EQ(block_length(std::vector<double>{1}), 1);
  EXPECT_LE(block_length(std::vector<double>{1, 2, 3, 4}), 2);
}

TEST(Confidence, EqualStepsAreKnownExactly) {
  const std::vector<double> samples(50, 0.5);
  const Interval interval = throughput_interval(samples, 16);
  EXPECT_DOUBLE_EQ(interval.low, 32);
  EXPECT_DOUBLE_EQ(interval.high, 32);
}

TEST(Confidence, TheSameStepsGiveTheSameInterval) {
  const auto samples = noise(60, 3, 7);
  const Interval first = throughput_interval(samples, 8), second = throughput_interval(samples, 8);
  EXPECT_EQ(first.low, second.low);
  EXPECT_EQ(first.high, second.high);
  EXPECT_NE(throughput_interval(noise(60, 3, 8), 8).low, first.low);
}

TEST(Confidence, DependentStepsAreKnownLessWell) {
  const auto width = [](const Interval& interval) { return interval.high - interval.low; };
  EXPECT_GT(width(throughput_interval(noise(400, 20, 3), 8)),
            2 * width(throughput_interval(noise(400, 1, 3), 8)));
}

// Throughput is 8 images over a mean second, so 8; 95 of 100 intervals should hold it. They are as
// wide as the error of a mean makes them: 1.96 deviations of the noise over sqrt(n), both ways.
TEST(Confidence, MostIntervalsHoldTheTruthAndAreNoWiderThanThatNeeds) {
  int hits = 0;
  double width = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const Interval interval = throughput_interval(noise(100, 1, seed), 8);
    if (interval.low <= 8 && 8 <= interval.high) ++hits;
    width += (interval.high - interval.low) / 100;
  }
  EXPECT_GE(hits, 86);
  const double expected = 8 * 2 * 1.96 * (0.2 / std::sqrt(12)) / std::sqrt(100);
  EXPECT_NEAR(width / expected, 1, 0.1);
}

}  // namespace
}  // namespace lockstep
