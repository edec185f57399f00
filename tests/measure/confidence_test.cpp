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
  EXPECT_GE(block_length(noise(400, 40, 1)), 20);
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
  EXPECT_EQ(throughput_interval(samples, 8).low, throughput_interval(samples, 8).low);
}

TEST(Confidence, DependentStepsAreKnownLessWell) {
  const auto width = [](const Interval& interval) { return interval.high - interval.low; };
  EXPECT_GT(width(throughput_interval(noise(400, 20, 3), 8)),
            2 * width(throughput_interval(noise(400, 1, 3), 8)));
}

// Throughput is 8 images over a mean second, so 8; 95 of 100 intervals should hold it.
TEST(Confidence, MostIntervalsHoldTheTruth) {
  int hits = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const Interval interval = throughput_interval(noise(100, 1, seed), 8);
    if (interval.low <= 8 && 8 <= interval.high) ++hits;
  }
  EXPECT_GE(hits, 86);
}

}  // namespace
}  // namespace lockstep
