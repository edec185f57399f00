#include "data/pipeline/synthetic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "measure/statistics.h"

namespace lockstep {
namespace {

SyntheticOptions small(ImageLayout layout = ImageLayout::Nchw) {
  return {.image = {3, 20, 10}, .batch = 16, .labels = 10, .layout = layout, .seed = 1234};
}

TEST(Synthetic, PixelsAreNormalAround127AndCutAtTwoDeviations) {
  SyntheticSource source(small());
  const std::span<const float> images = source.next().images;
  ASSERT_EQ(images.size(), 16u * 3 * 20 * 10);
  const std::vector<double> pixels(images.begin(), images.end());
  EXPECT_GE(*std::ranges::min_element(pixels), 7);
  EXPECT_LE(*std::ranges::max_element(pixels), 247);
  EXPECT_NEAR(mean(pixels), 127, 2);
  EXPECT_NEAR(deviation(pixels), 60 * 0.8796, 2);  // the cut narrows it
}

TEST(Synthetic, ImagesStayAndLabelsChange) {
  SyntheticSource source(small());
  const Batch first = source.next();
  const std::vector<float> images(first.images.begin(), first.images.end());
  const std::vector<int32_t> labels(first.labels.begin(), first.labels.end());
  const Batch& second = source.next();
  EXPECT_EQ(second.images.data(), first.images.data());
  EXPECT_TRUE(std::ranges::equal(second.images, images));
  EXPECT_FALSE(std::ranges::equal(second.labels, labels));
}

TEST(Synthetic, EveryLabelOccurs) {
  SyntheticSource source(small());
  std::set<int32_t> seen;
  for (int step = 0; step < 100; ++step) {
    const Batch& batch = source.next();
    seen.insert(batch.labels.begin(), batch.labels.end());
  }
  EXPECT_EQ(*seen.begin(), 0);
  EXPECT_EQ(*seen.rbegin(), 9);
  EXPECT_EQ(seen.size(), 10u);
}

TEST(Synthetic, TheSeedDecidesEverything) {
  SyntheticSource one(small()), same(small());
  SyntheticOptions different = small();
  different.seed = 99;
  SyntheticSource other(different);
  const Batch a = one.next(), b = same.next(), c = other.next();
  EXPECT_TRUE(std::ranges::equal(a.images, b.images));
  EXPECT_TRUE(std::ranges::equal(a.labels, b.labels));
  EXPECT_FALSE(std::ranges::equal(a.images, c.images));
}

TEST(Synthetic, BothLayoutsShowTheSamePicture) {
  SyntheticSource planes(small()), pixels(small(ImageLayout::Nhwc));
  const Batch a = planes.next(), b = pixels.next();
  const size_t area = 20 * 10, size = 3 * area;
  for (size_t image = 0; image < 16; ++image) {
    for (size_t channel = 0; channel < 3; ++channel) {
      for (size_t pixel = 0; pixel < area; ++pixel) {
        ASSERT_EQ(a.images[image * size + channel * area + pixel],
                  b.images[image * size + pixel * 3 + channel]);
      }
    }
  }
}

}  // namespace
}  // namespace lockstep
