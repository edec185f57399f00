#include "measure/two_samples.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace lockstep {
namespace {

using Row = std::vector<double>;

// About normal: the sum of twelve uniform numbers has deviation 1.
Row noisy(int n, double centre, double noise, uint64_t seed) {
  const RandomStream random(seed, 7);
  Row row;
  for (int i = 0; i < n; ++i) {
    double sum = -6;
    for (int k = 0; k < 12; ++k)
      sum += random.uniform(12 * static_cast<uint64_t>(i) + static_cast<uint64_t>(k));
    row.push_back(centre * (1 + noise * sum));
  }
  return row;
}

// By hand: of the 20 ways to choose three of six ranks two are as uneven as 4, 5, 6.
TEST(MannWhitney, CountsTheWaysToDealTheRanks) {
  const RankTest test = mann_whitney(Row{1, 2, 3}, Row{4, 5, 6});
  EXPECT_EQ(test.u, 9);
  EXPECT_TRUE(test.exact);
  EXPECT_NEAR(test.p, 2.0 / 20, 1e-12);
  EXPECT_NEAR(mann_whitney(Row{1, 2, 3, 4}, Row{5, 6, 7, 8}).p, 2.0 / 70, 1e-12);
  EXPECT_NEAR(mann_whitney(Row{1}, Row{2}).p, 1, 1e-12);
  EXPECT_TRUE(mann_whitney(Row{std::nan("")}, Row{2}).exact) << "it ends";
}

// Of 252 ways, U = 0..6 have 1, 1, 2, 3, 5, 7 and 9: partitions into at most five parts of at most
// five. Twice, for both sides.
TEST(MannWhitney, AgreesWithTheTableForFiveAndFive) {
  const RankTest four = mann_whitney(Row{4, 6, 7, 9, 10}, Row{1, 2, 3, 5, 8});
  EXPECT_EQ(four.u, 4);
  EXPECT_NEAR(four.p, 2 * 12 / 252.0, 1e-12);
  const RankTest six = mann_whitney(Row{3, 5, 7, 9, 10}, Row{1, 2, 4, 6, 8});
  EXPECT_EQ(six.u, 6);
  EXPECT_NEAR(six.p, 2 * 28 / 252.0, 1e-12);
}

// Ranks 1, 3, 3, 3, 5.5, 5.5. The second row has 3 + 5.5 + 5.5 = 14, which is 3.5 from the middle;
// so far up or down are 3 + 3 of the 20 ways.
TEST(MannWhitney, CountsTiesExactly) {
  const RankTest test = mann_whitney(Row{1, 2, 2}, Row{2, 3, 3});
  EXPECT_EQ(test.u, 8);
  EXPECT_NEAR(test.p, 6.0 / 20, 1e-12);
  EXPECT_NEAR(mann_whitney(Row{5, 5, 5}, Row{5, 5, 5}).p, 1, 1e-12);
}

TEST(MannWhitney, IsTheSameFromBothSides) {
  const Row first = noisy(9, 1, 0.1, 1), second = noisy(12, 1.05, 0.1, 2);
  const RankTest there = mann_whitney(first, second), back = mann_whitney(second, first);
  EXPECT_NEAR(there.p, back.p, 1e-12);
  EXPECT_EQ(there.u + back.u, 9 * 12);
}

// U = 820 of 1600, deviation sqrt(1600 * 81 / 12) = 103.923: z = 19.5 / 103.923.
TEST(MannWhitney, IsNormalForManySamples) {
  Row first, second;
  for (int i = 0; i < 40; ++i) {
    first.push_back(i);
    second.push_back(i + 0.5);
  }
  const RankTest test = mann_whitney(first, second);
  EXPECT_FALSE(test.exact);
  EXPECT_EQ(test.u, 820);
  EXPECT_NEAR(test.p, std::erfc(19.5 / 103.92304845413264 / std::sqrt(2.0)), 1e-9);
  const Row same(100, 3.0);
  EXPECT_EQ(mann_whitney(same, same).p, 1);
}

TEST(MannWhitney, CountingComesCloseToTheNormalForThirtyAndThirty) {
  const RankTest counted = mann_whitney(noisy(30, 1, 0.05, 3), noisy(30, 1.02, 0.05, 4));
  EXPECT_TRUE(counted.exact);
  const double z = (std::abs(counted.u - 450) - 0.5) / std::sqrt(900 * 61 / 12.0);
  EXPECT_NEAR(counted.p, std::erfc(z / std::sqrt(2.0)), 0.005);
}

// Four and four: only U = 0 is rarer than 2.5 % (1 of 70), so the interval spans all differences.
TEST(HodgesLehmann, IsTheMedianDifferenceWithTheTestsInterval) {
  const Shift shift = hodges_lehmann(Row{1, 2, 3, 4}, Row{11, 12, 13, 14});
  EXPECT_EQ(shift.middle, 10);
  ASSERT_TRUE(shift.interval_95);
  EXPECT_EQ(shift.interval_95->low, 7);
  EXPECT_EQ(shift.interval_95->high, 13);
}

// Five and five: U <= 2 has 4 of 252, U <= 3 has 7: the third difference from either end.
TEST(HodgesLehmann, TakesTheRankOfTheTable) {
  const Shift shift = hodges_lehmann(Row{0, 0, 0, 0, 0}, Row{1, 2, 4, 8, 16});
  EXPECT_EQ(shift.middle, 4);
  EXPECT_EQ(shift.interval_95->low, 1);
  EXPECT_EQ(shift.interval_95->high, 16);
  const Shift spread = hodges_lehmann(Row{0, 100, 200, 300, 400}, Row{1, 102, 204, 308, 416});
  // Sorted from below: 1-400, 1-300 and 102-400, ...
  EXPECT_EQ(spread.interval_95->low, 102 - 400);
}

TEST(HodgesLehmann, HasNoIntervalForThreeAndThree) {
  EXPECT_FALSE(hodges_lehmann(Row{1, 2, 3}, Row{4, 5, 6}).interval_95);
}

TEST(RatioOfMeans, IsTheRatioAndHasNoIntervalForOneSample) {
  EXPECT_EQ(ratio_of_means(Row{1, 3}, Row{4, 6}).value, 2.5);
  EXPECT_FALSE(ratio_of_means(Row{1}, Row{4, 6}).interval_95);
  const Ratio exact = ratio_of_means(Row{2, 2, 2}, Row{3, 3, 3});
  EXPECT_DOUBLE_EQ(exact.interval_95->low, 1.5);
  EXPECT_DOUBLE_EQ(exact.interval_95->high, 1.5);
}

TEST(RatioOfMeans, TheSameSamplesGiveTheSameInterval) {
  const Row first = noisy(10, 1, 0.05, 5), second = noisy(10, 1, 0.05, 6);
  EXPECT_EQ(ratio_of_means(first, second).interval_95->low,
            ratio_of_means(first, second).interval_95->low);
}

// Fixed seeds: 1.1 is the true ratio, and 95 % of intervals should hold it.
TEST(RatioOfMeans, IntervalsHoldTheTruthAsOftenAsTheySay) {
  for (const int n : {5, 20}) {
    int held = 0;
    constexpr int kTrials = 200;
    for (uint64_t trial = 0; trial < kTrials; ++trial) {
      const Row first = noisy(n, 1, 0.05, 1000 + 2 * trial);
      const Row second = noisy(n, 1.1, 0.05, 1001 + 2 * trial);
      const Interval interval = *ratio_of_means(first, second).interval_95;
      held += interval.low <= 1.1 && 1.1 <= interval.high;
    }
    EXPECT_GE(held, 0.91 * kTrials) << n;
    EXPECT_LE(held, 0.99 * kTrials) << n;
  }
}

TEST(BlockMeans, UseEverySampleOnce) {
  EXPECT_EQ(block_means(Row{1, 3, 5, 7, 9, 11}, 2), (Row{2, 6, 10}));
  EXPECT_EQ(block_means(Row{1, 3, 5, 7, 9}, 2), (Row{2, 7}));  // blocks of 2 and 3
  EXPECT_EQ(block_means(Row{1, 3}, 5), (Row{2}));
}

TEST(Holm, RaisesTheSmallestMost) {
  const Row raised = holm(Row{0.04, 0.01, 0.03});
  EXPECT_NEAR(raised[1], 0.03, 1e-12);
  EXPECT_NEAR(raised[2], 0.06, 1e-12);
  EXPECT_NEAR(raised[0], 0.06, 1e-12);  // never below one that was smaller
  EXPECT_EQ(holm(Row{0.2}), (Row{0.2}));
}

}  // namespace
}  // namespace lockstep
