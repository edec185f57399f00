#include "base/random.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace lockstep {
namespace {

std::vector<float> normals(int count, const RandomStream& random, double mean, double deviation) {
  std::vector<float> values(count);
  fill_truncated_normal(values, random, mean, deviation);
  return values;
}

struct Moments {
  double mean, deviation;
};
Moments moments_of(const std::vector<float>& values) {
  double sum = 0, squares = 0;
  for (const float x : values) sum += x;
  const double mean = sum / values.size();
  for (const float x : values) squares += (x - mean) * (x - mean);
  return {mean, std::sqrt(squares / values.size())};
}

TEST(RandomStream, DependsOnSeedStreamAndIndexOnly) {
  EXPECT_EQ(RandomStream(7, 3).bits(11), RandomStream(7, 3).bits(11));
  EXPECT_NE(RandomStream(7, 3).bits(11), RandomStream(8, 3).bits(11));
  EXPECT_NE(RandomStream(7, 3).bits(11), RandomStream(7, 4).bits(11));
  EXPECT_NE(RandomStream(7, 3).bits(11), RandomStream(7, 3).bits(12));
}

TEST(RandomStream, UniformNumbersFillZeroToOneEvenly) {
  const RandomStream random(1, 2);
  std::vector<int> tenths(10);
  for (int i = 0; i < 100000; ++i) {
    const float x = random.uniform(i);
    ASSERT_GE(x, 0);
    ASSERT_LT(x, 1);
    ++tenths[static_cast<int>(x * 10)];
  }
  for (const int count : tenths) EXPECT_NEAR(count, 10000, 500);
}

TEST(TruncatedNormal, NeverLeavesTwoDeviations) {
  const std::vector<float> values = normals(200000, RandomStream(1, 1), 127, 60);
  EXPECT_GE(*std::ranges::min_element(values), 127 - 2 * 60);
  EXPECT_LE(*std::ranges::max_element(values), 127 + 2 * 60);
}

TEST(TruncatedNormal, HasTheMomentsOfANormalCutOffAtTwo) {
  const Moments moments = moments_of(normals(200000, RandomStream(1, 1), 127, 60));
  EXPECT_NEAR(moments.mean, 127, 0.5);
  EXPECT_NEAR(moments.deviation, 60 * 0.8796, 0.3);
}

TEST(TruncatedNormal, DoesNotDependOnTheNumberOfThreads) {
  const int before = omp_get_max_threads();
  omp_set_num_threads(1);
  const std::vector<float> one = normals(100000, RandomStream(5, 9), 0, 1);
  omp_set_num_threads(3);
  const std::vector<float> three = normals(100000, RandomStream(5, 9), 0, 1);
  omp_set_num_threads(before);
  EXPECT_EQ(one, three);
}

TEST(TruncatedNormal, ALongerRowStartsWithTheShorterOne) {
  const std::vector<float> longer = normals(1000, RandomStream(5, 9), 0, 1);
  const std::vector<float> shorter = normals(10, RandomStream(5, 9), 0, 1);
  EXPECT_TRUE(std::equal(shorter.begin(), shorter.end(), longer.begin()));
}

}  // namespace
}  // namespace lockstep
