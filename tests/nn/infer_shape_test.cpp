#include "nn/infer_shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace lockstep {
namespace {

Inferred infer(const Layer& layer, std::vector<Shape> inputs) {
  return infer_shape("layer7", layer, inputs);
}
Inferred conv(int side, int kernel, int stride, Padding padding) {
  return infer(Conv{.filters = 8, .kernel = kernel, .stride = stride, .padding = padding},
               {{3, side, side}});
}
Shape square(int64_t channels, int64_t side) { return {channels, side, side}; }

TEST(SamePadding, RoundsUpAndPutsTheOddPixelAfter) {
  EXPECT_EQ(conv(224, 7, 2, Padding::Same).output, square(8, 112));
  EXPECT_EQ(conv(224, 7, 2, Padding::Same).pads, (Pads{2, 3, 2, 3}));
  EXPECT_EQ(conv(113, 3, 2, Padding::Same).output, square(8, 57));
  EXPECT_EQ(conv(113, 3, 2, Padding::Same).pads, (Pads{1, 1, 1, 1}));
  EXPECT_EQ(conv(5, 4, 1, Padding::Same).pads, (Pads{1, 2, 1, 2}));
}

TEST(SamePadding, IsNoneWhenTheStrideSkipsMoreThanTheKernel) {
  EXPECT_EQ(conv(56, 1, 2, Padding::Same).output, square(8, 28));
  EXPECT_EQ(conv(56, 1, 2, Padding::Same).pads, Pads{});
}

TEST(ValidPadding, RoundsDownWithoutPads) {
  EXPECT_EQ(conv(227, 11, 4, Padding::Valid).output, square(8, 55));
  EXPECT_EQ(conv(228, 11, 4, Padding::Valid).output, square(8, 55));
  EXPECT_EQ(conv(11, 11, 4, Padding::Valid).output, square(8, 1));
  EXPECT_EQ(conv(228, 11, 4, Padding::Valid).pads, Pads{});
}

TEST(SameResnetPadding, DependsOnTheKernelAloneWhenItStrides) {
  EXPECT_EQ(conv(224, 7, 2, Padding::SameResnet).output, square(8, 112));
  EXPECT_EQ(conv(224, 7, 2, Padding::SameResnet).pads, (Pads{3, 3, 3, 3}));
  EXPECT_EQ(conv(56, 3, 2, Padding::SameResnet).output, square(8, 28));
  EXPECT_EQ(conv(56, 3, 2, Padding::SameResnet).pads, (Pads{1, 1, 1, 1}));
  EXPECT_EQ(conv(9, 4, 2, Padding::SameResnet).pads, (Pads{1, 2, 1, 2}));
}

TEST(SameResnetPadding, IsSamePaddingWithoutStride) {
  EXPECT_EQ(conv(9, 4, 1, Padding::SameResnet).pads, conv(9, 4, 1, Padding::Same).pads);
}

TEST(InferShape, TreatsHeightAndWidthApart) {
  const Inferred inferred =
      infer(Conv{.filters = 4, .kernel = {1, 7}, .padding = Padding::Same}, {{3, 17, 19}});
  EXPECT_EQ(inferred.output, (Shape{4, 17, 19}));
  EXPECT_EQ(inferred.pads, (Pads{0, 0, 3, 3}));
}

TEST(InferShape, KeepsTheChannelsOfADepthwiseConvolution) {
  EXPECT_EQ(infer(Conv{.kernel = 3, .stride = 2, .depthwise = true}, {{12, 8, 8}}).output,
            square(12, 4));
}

TEST(InferShape, JoinsAndPadsChannels) {
  EXPECT_EQ(infer(Concat{}, {{3, 5, 5}, {4, 5, 5}}).output, square(7, 5));
  EXPECT_EQ(infer(PadChannels{.before = 2, .after = 3}, {{4, 5, 5}}).output, square(9, 5));
  EXPECT_EQ(infer(GlobalAveragePool{}, {{4, 5, 5}}).output, Shape{4});
  EXPECT_EQ(infer(Dense{.units = 9}, {{4, 5, 5}}).output, Shape{9});
}

struct Misfit {
  std::string test;
  Layer layer;
  std::vector<Shape> inputs;
};

class InferShapeRefuses : public ::testing::TestWithParam<Misfit> {};

TEST_P(InferShapeRefuses, AndNamesTheLayer) {
  try {
    infer(GetParam().layer, GetParam().inputs);
    FAIL() << "it was accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("layer7"));
  }
}

const Misfit kMisfits[] = {
    {"AWindowLargerThanTheImage",
     Conv{.filters = 8, .kernel = 5, .padding = Padding::Valid},
     {{3, 4, 9}}},
    {"APoolLargerThanTheImage", Pool{.window = 3}, {{3, 2, 2}}},
    {"AConvolutionWithoutFilters", Conv{.kernel = 3}, {{3, 9, 9}}},
    {"AConvolutionOfAFlatInput", Conv{.filters = 8}, {{100}}},
    {"ADenseLayerWithoutUnits", Dense{}, {{100}}},
    {"ASumOfTwoShapes", Add{}, {{3, 9, 9}, {3, 8, 9}}},
    {"ASumOfOne", Add{}, {{3, 9, 9}}},
    {"AConcatenationOfTwoSizes", Concat{}, {{3, 9, 9}, {3, 8, 9}}},
    {"AConcatenationOfNothing", Concat{}, {}},
    {"LogitsThatAreAnImage", SoftmaxLoss{}, {{10, 1, 1}}},
    {"ANormalisationOfAFlatInput", BatchNorm{}, {{10}}},
    {"AReluOfTwo", Relu{}, {{3, 9, 9}, {3, 9, 9}}},
};
INSTANTIATE_TEST_SUITE_P(Layers, InferShapeRefuses, ::testing::ValuesIn(kMisfits),
                         [](const auto& instance) { return instance.param.test; });

}  // namespace
}  // namespace lockstep
