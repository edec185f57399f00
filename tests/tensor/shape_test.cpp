#include "tensor/shape.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(Shape, ReadsLikeItsExtents) {
  EXPECT_EQ(Shape({64, 55, 54}).text(), "64x55x54");
  EXPECT_EQ(Shape({4096}).text(), "4096");
}

TEST(Shape, CountsElementsBeyondThirtyTwoBits) {
  EXPECT_EQ(Shape({1 << 20, 1 << 20}).elements(), int64_t{1} << 40);
}

TEST(Shape, OfAFlatActivationIsOnePixel) {
  const Shape flat = {10};
  EXPECT_EQ(flat.channels(), 10);
  EXPECT_EQ(flat.height(), 1);
  EXPECT_EQ(flat.width(), 1);
}

TEST(Shape, DiffersFromOneOfAnotherRank) { EXPECT_NE(Shape({10}), Shape({10, 1, 1})); }

}  // namespace
}  // namespace lockstep
