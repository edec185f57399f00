// Which part of an image is shown.
#include "data/pixels/crop.h"

#include <gmock/gmock.h>

namespace lockstep {
namespace {

TEST(Crop, WindowsStayInsideAndKeepAspectAndArea) {
  for (const ImageSize size : {ImageSize{375, 500}, {500, 375}, {30, 400}, {1, 1}, {2, 3}}) {
    double smallest = 1;
    for (uint64_t i = 0; i < 500; ++i) {
      const Window window = random_window(size, {}, RandomStream(1, i));
      ASSERT_GE(window.left, 0);
      ASSERT_GE(window.top, 0);
      ASSERT_GT(window.width, 0);
      ASSERT_GT(window.height, 0);
      ASSERT_LE(window.left + window.width, size.width);
      ASSERT_LE(window.top + window.height, size.height);
      const double area = double(window.width) * window.height / (size.width * size.height);
      smallest = std::min(smallest, area);
      const bool whole = window.width == size.width && window.height == size.height;
      if (size.height < 100 || whole) continue;
      EXPECT_GE(area, 0.099);  // without a box the image is the box, and a tenth of it shows
      const double aspect = double(window.width) / window.height;
      EXPECT_GE(aspect, 0.73);
      EXPECT_LE(aspect, 1.36);
    }
    EXPECT_LT(smallest, size.height > 100 ? 0.15 : 1.1);
  }
}

TEST(Crop, AWindowShowsATenthOfABox) {
  const ObjectBox box = {.top = 0.9f, .left = 0.9f, .bottom = 1, .right = 1};
  for (uint64_t i = 0; i < 200; ++i) {
    const Window window = random_window({400, 400}, std::span(&box, 1), RandomStream(2, i));
    const double width = std::min(400, window.left + window.width) - std::max(360, window.left);
    const double height = std::min(400, window.top + window.height) - std::max(360, window.top);
    EXPECT_GT(width, 0);
    EXPECT_GT(height, 0);
    EXPECT_GE(width * height, 0.1 * 40 * 40 - 1e-3);
  }
}

TEST(Crop, EvaluationSeesTheMiddle) {
  const CentralView view = central_view({375, 500}, 224);
  EXPECT_EQ(view.resized.height, 256);
  EXPECT_EQ(view.resized.width, 341);
  EXPECT_EQ(view.top, 16);
  EXPECT_EQ(view.left, 58);
}

TEST(Crop, EvaluationMaySetTheShorterSide) {
  for (const int height : {224, 333, 375, 500, 1000}) {
    EXPECT_EQ(central_view({height, 2 * height}, 224, 256).resized.height, 256) << height;
    EXPECT_EQ(central_view({height, 2 * height}, 224, 256).resized.width, 512) << height;
  }
  EXPECT_EQ(central_view({375, 500}, 299, 256).resized.height, 299);
}

TEST(Crop, DecodesNoFinerThanNeeded) {
  EXPECT_EQ(decode_denominator({.width = 500, .height = 375}, {224, 224}), 1);
  EXPECT_EQ(decode_denominator({.width = 448, .height = 448}, {224, 224}), 2);
  EXPECT_EQ(decode_denominator({.width = 20000, .height = 20000}, {224, 224}), 8);
}

}  // namespace
}  // namespace lockstep
