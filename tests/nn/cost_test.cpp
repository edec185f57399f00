#include "nn/cost.h"

#include <gtest/gtest.h>

#include "nn/builder.h"
#include "nn/l2.h"

namespace lockstep {
namespace {

Graph small() {
  Builder net({3, 8, 6}, {.num_classes = 5});
  net.set_defaults({.batch_norm = BatchNorm{.scale = true}});
  NodeId x = net.conv(net.image(), {.filters = 4, .kernel = {3, 1}, .stride = 2});
  x = net.depthwise(x, {.kernel = 3});
  net.classify(x);
  return std::move(net).finish();
}

TEST(Cost, CountsMultiplyAddsOfConvolutionsAndDenseLayers) {
  const Graph graph = small();
  EXPECT_EQ(forward_macs(graph, 0), 0);
  EXPECT_EQ(forward_macs(graph, 1), 4 * (4 * 3) * (3 * 3 * 1));  // conv0: 4x4x3 outputs
  EXPECT_EQ(forward_macs(graph, 2), 0);                          // batch normalisation
  EXPECT_EQ(forward_macs(graph, 4), 4 * (4 * 3) * 9);            // depthwise0
  EXPECT_EQ(cost_of(graph).forward_macs, 432 + 432 + 5 * 48);
}

TEST(Cost, CountsParametersAndMovingAverages) {
  const Cost cost = cost_of(small());
  EXPECT_EQ(cost.parameters, (4 * 3 * 3) + 8 + (4 * 9) + 8 + (5 * 48 + 5));
  EXPECT_EQ(cost.gradient_tensors, 1 + 2 + 1 + 2 + 2);
  EXPECT_EQ(cost.moving_averages, 2 * 4 + 2 * 4);
}

TEST(Cost, CountsEveryOutputAsFloats) {
  const Graph graph = small();
  EXPECT_EQ(activation_bytes(graph, 1), 4 * 4 * 3 * 4);
  EXPECT_EQ(cost_of(graph).activation_bytes, 4 * (3 * 8 * 6 + 6 * (4 * 4 * 3) + 5 + 1));
}

TEST(SumOfSquares, AgreesWithDoublesOverManyChunks) {
  std::vector<float> values(100003);
  double expected = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i % 17) - 8;
    expected += values[i] * values[i];
  }
  EXPECT_NEAR(sum_of_squares(values), expected, 1e-6 * expected);
  EXPECT_EQ(sum_of_squares({}), 0);
  EXPECT_DOUBLE_EQ(l2_loss(0.5, 8), 2);
}

}  // namespace
}  // namespace lockstep
