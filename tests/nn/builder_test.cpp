#include "nn/builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> names_in(const Graph& graph) {
  std::vector<std::string> names;
  for (const Node& node : graph.nodes()) names.push_back(node.name);
  return names;
}

Builder small() { return Builder({3, 8, 8}, {.num_classes = 5}); }

TEST(Builder, NamesLayersByOrderOfCreation) {
  Builder net = small();
  net.set_defaults({.batch_norm = BatchNorm{}});
  NodeId x = net.convs(net.image(), {{.filters = 4}, {.filters = 4}});
  x = net.depthwise(x, {.kernel = 3});
  net.classify(x);
  EXPECT_THAT(names_in(std::move(net).finish()),
              ElementsAre("image", "conv0", "batchnorm0", "relu0", "conv1", "batchnorm1", "relu1",
                          "depthwise0", "batchnorm2", "relu2", "affine0", "loss0"));
}

TEST(Builder, GivesAConvolutionABiasUnlessBatchNormalisationFollows) {
  Builder net = small();
  const NodeId plain = net.conv(net.image(), {.filters = 4, .activation = Activation::None});
  net.set_defaults({.batch_norm = BatchNorm{}});
  net.conv(plain, {.filters = 4});
  net.conv(plain, {.filters = 4, .batch_norm = false, .activation = Activation::None});
  net.conv(plain, {.filters = 4, .bias = false, .batch_norm = false});
  const Graph graph = std::move(net).finish();
  std::vector<bool> biases;
  for (const Node& node : graph.nodes()) {
    if (const Conv* conv = std::get_if<Conv>(&node.layer)) biases.push_back(conv->bias);
  }
  EXPECT_THAT(biases, ElementsAre(true, false, true, false));
}

TEST(Builder, RefusesABiasThatBatchNormalisationWouldRemove) {
  Builder net = small();
  const auto convolve = [&](const ConvSpec& spec) { net.conv(net.image(), spec); };
  EXPECT_THROW(convolve({.filters = 4, .bias = true, .batch_norm = true}), Error);
  EXPECT_THROW(convolve({.filters = 4, .batch_norm = true, .initial_bias = 0.1}), Error);
  EXPECT_THROW(convolve({.filters = 4, .bias = false, .initial_bias = 0.1}), Error);
  EXPECT_NO_THROW(convolve({.filters = 4, .bias = true, .initial_bias = 0.1}));
  EXPECT_NO_THROW(convolve({.filters = 4, .bias = false, .batch_norm = true}));
}

TEST(Builder, DoublesTheGainInFrontOfARelu) {
  Builder net = small();
  net.classify(net.dense(net.image(), {.units = 6}));
  const Graph graph = std::move(net).finish();
  EXPECT_EQ(std::get<Dense>(graph.node(1).layer).gain, 2);
  EXPECT_EQ(std::get<Dense>(graph.node(3).layer).gain, 1);
}

TEST(Builder, GivesConvolutionsTheNetworksDefaults) {
  Builder net = small();
  net.set_defaults({.batch_norm = BatchNorm{.decay = 0.5, .epsilon = 0.25, .scale = true},
                    .activation = Activation::Relu6,
                    .stddev = 0.125});
  net.conv(net.image(), {.filters = 4});
  const Graph graph = std::move(net).finish();
  EXPECT_EQ(std::get<Conv>(graph.node(1).layer).stddev, 0.125);
  EXPECT_EQ(std::get<BatchNorm>(graph.node(2).layer).decay, 0.5);
  EXPECT_EQ(std::get<BatchNorm>(graph.node(2).layer).epsilon, 0.25);
  EXPECT_TRUE(std::get<BatchNorm>(graph.node(2).layer).scale);
  EXPECT_EQ(std::get<Relu>(graph.node(3).layer).ceiling, 6);
}

}  // namespace
}  // namespace lockstep
