#include "nn/initial_values.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>

#include "nn/zoo.h"

namespace lockstep {
namespace {

struct Network {
  Graph graph;
  std::vector<ParameterSpec> parameters = parameters_of(graph);

  const ParameterSpec& named(std::string_view name) const {
    return *std::ranges::find(parameters, name, &ParameterSpec::name);
  }
  std::vector<float> values(std::string_view name, uint64_t seed = 1) const {
    std::vector<float> filled(named(name).shape.elements());
    fill_initial_values(graph, named(name), seed, filled);
    return filled;
  }
};

Network network(std::string_view model, ModelOptions options = {}) {
  return {.graph = build(find_model(model), options)};
}

double deviation_of(const std::vector<float>& values) {
  double squares = 0;
  for (const float x : values) squares += x * x;
  return std::sqrt(squares / values.size());
}

constexpr double kCut = 0.8796;  // deviation of a normal cut off at two, over its own

TEST(InitialValues, OfAConvolutionHaveTheVarianceOfOneOverFanIn) {
  const Network net = network("alexnet");
  const double expected = std::sqrt(1.0 / (64 * 5 * 5));
  EXPECT_NEAR(deviation_of(net.values("conv1/kernel")), expected, 0.01 * expected);
}

TEST(InitialValues, OfADenseLayerAreCutAtTwoDeviationsByFanInAndRelu) {
  const Network net = network("alexnet");
  const double before_relu = std::sqrt(2.0 / 4096), linear = std::sqrt(1.0 / 4096);
  EXPECT_NEAR(deviation_of(net.values("affine1/kernel")), kCut * before_relu, 0.01 * before_relu);
  EXPECT_NEAR(deviation_of(net.values("affine2/kernel")), kCut * linear, 0.01 * linear);
  const std::vector<float> values = net.values("affine2/kernel");
  EXPECT_LE(*std::ranges::max_element(values), 2 * linear * 1.000001);
}

TEST(InitialValues, FollowALayersOwnDeviationAndBias) {
  const Network net = network("cifar10_alexnet");
  EXPECT_NEAR(deviation_of(net.values("conv1/kernel")), kCut * 0.05, 0.0005);
  EXPECT_NEAR(deviation_of(net.values("affine0/kernel")), kCut * 0.04, 0.0004);
  EXPECT_EQ(net.values("conv0/bias"), std::vector<float>(64, 0.0f));
  EXPECT_EQ(net.values("conv1/bias"), std::vector<float>(64, 0.1f));
  EXPECT_EQ(net.values("affine0/bias"), std::vector<float>(384, 0.1f));
  EXPECT_EQ(net.values("affine2/bias"), std::vector<float>(11, 0.0f));
}

TEST(InitialValues, OfBatchNormalisationChangeNothing) {
  const Network net = network("resnet20");
  EXPECT_EQ(net.values("batchnorm3/gamma"), std::vector<float>(16, 1.0f));
  EXPECT_EQ(net.values("batchnorm3/beta"), std::vector<float>(16, 0.0f));
}

TEST(InitialValues, DifferBetweenParametersOfOneShape) {
  const Network net = network("resnet20");
  EXPECT_NE(net.values("conv1/kernel"), net.values("conv2/kernel"));
}

TEST(InitialValues, DependOnTheSeedAlone) {
  const Network net = network("resnet20"), other = network("resnet20", {.num_classes = 3});
  EXPECT_EQ(net.values("conv5/kernel", 7), other.values("conv5/kernel", 7));
  EXPECT_NE(net.values("conv5/kernel", 7), net.values("conv5/kernel", 8));
}

TEST(InitialValues, DoNotDependOnTheNumberOfThreads) {
  const Network net = network("lenet");
  const int before = omp_get_max_threads();
  omp_set_num_threads(1);
  const std::vector<float> one = net.values("affine0/kernel");
  omp_set_num_threads(3);
  const std::vector<float> three = net.values("affine0/kernel");
  omp_set_num_threads(before);
  EXPECT_EQ(one, three);
}

TEST(InitialDeviation, IsThatOfKernelsOnly) {
  const Network net = network("resnet20");
  EXPECT_TRUE(initial_deviation(net.graph, net.named("conv0/kernel")));
  EXPECT_FALSE(initial_deviation(net.graph, net.named("affine0/bias")));
  EXPECT_FALSE(initial_deviation(net.graph, net.named("batchnorm0/gamma")));
}

}  // namespace
}  // namespace lockstep
