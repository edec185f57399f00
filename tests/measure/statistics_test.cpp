// Vectors worked out by hand.
#include "measure/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lockstep {
namespace {

const std::vector<double> kSamples = {4, 1, 3, 2};

TEST(Statistics, MedianOfAnEvenCountIsTheMiddleOfTwo) {
  EXPECT_DOUBLE_EQ(median(kSamples), 2.5);
  EXPECT_DOUBLE_EQ(median(std::vector<double>{5, 1, 9}), 5);
}

TEST(Statistics, QuantilesInterpolate) {
  EXPECT_DOUBLE_EQ(quantile(kSamples, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(kSamples, 1), 4);
  EXPECT_DOUBLE_EQ(quantile(kSamples, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(quantile(std::vector<double>{7}, 0.95), 7);
}

TEST(Statistics, DeviationDividesByTheCount) {
  EXPECT_DOUBLE_EQ(mean(kSamples), 2.5);
  EXPECT_DOUBLE_EQ(deviation(kSamples), std::sqrt(1.25));
  EXPECT_DOUBLE_EQ(coefficient_of_variation(kSamples), std::sqrt(1.25) / 2.5);
  EXPECT_DOUBLE_EQ(median_absolute_deviation(kSamples), 1.0);  // of 1.5 1.5 0.5 0.5
}

// 10 images in 1, 2 and 4 seconds: 10, 5 and 2.5 images per second.
TEST(Statistics, SpeedFollowsTheFormulasOfStepLines) {
  const std::vector<double> seconds = {1, 2, 4};
  const Speed speed = speed_of(seconds, 10);
  EXPECT_DOUBLE_EQ(speed.mean, 10 / (7.0 / 3));
  const double centre = 17.5 / 3;
  const double variance = ((10 - centre) * (10 - centre) + (5 - centre) * (5 - centre) +
                           (2.5 - centre) * (2.5 - centre)) /
                          3;
  EXPECT_DOUBLE_EQ(speed.uncertainty, std::sqrt(variance) / std::sqrt(3));
  EXPECT_DOUBLE_EQ(speed.jitter, 1.4826 * 2.5);  // distances from 5: 5, 0, 2.5
}

TEST(Statistics, MovingAverageWeighsTheNewestMost) {
  const std::vector<double> seconds = {1, 2, 4};
  // Weights 0.25, 0.5, 1.
  EXPECT_DOUBLE_EQ(speed_of(seconds, 10, 0.5).mean, 10 / ((0.25 + 1 + 4) / 1.75));
  EXPECT_DOUBLE_EQ(speed_of(seconds, 10, 1).mean, 10 / 4.0);
  EXPECT_DOUBLE_EQ(speed_of(seconds, 10, 0).mean, speed_of(seconds, 10).mean);
  EXPECT_DOUBLE_EQ(speed_of(seconds, 10, 0.5).jitter, speed_of(seconds, 10).jitter);
}

TEST(Statistics, OneStepHasNoUncertainty) {
  const Speed speed = speed_of(std::vector<double>{0.5}, 32);
  EXPECT_DOUBLE_EQ(speed.mean, 64);
  EXPECT_DOUBLE_EQ(speed.uncertainty, 0);
  EXPECT_DOUBLE_EQ(speed.jitter, 0);
}

TEST(Statistics, OutliersAreFarInUnitsOfTheTypicalDistance) {
  const std::vector<double> samples = {10, 11, 9, 10.5, 9.5, 40, 10, 11, 9};
  EXPECT_EQ(outliers(samples), (std::vector<int>{5}));
  EXPECT_TRUE(outliers(std::vector<double>{1, 1, 1, 5}).empty());  // no typical distance
}

}  // namespace
}  // namespace lockstep
