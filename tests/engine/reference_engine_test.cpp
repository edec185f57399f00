// The reference against numbers worked out by hand: what finite differences cannot see, because a
// wrong formula has a right slope too.
#include "engine/reference/reference_engine.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>

#include "engine/reference/replica.h"
#include "nn/dropout_mask.h"

namespace lockstep {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::Pointwise;

std::vector<float> counting(size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 1.0f);
  return values;
}

// The output of one layer on the given images; kernels and gammas are one, biases and betas zero.
std::vector<double> output_of(const Shape& image, const Layer& layer, std::span<const float> images,
                              EngineOptions options = {}) {
  Graph graph(image);
  const NodeId node = graph.add("layer", layer, {graph.image()});
  options.batch = static_cast<int>(images.size() / image.elements());
  auto owned = std::make_unique<ReferenceEngine>(graph, options);
  ReferenceEngine* engine = owned.get();
  Replica replica(graph, std::move(owned));
  for (ParameterId id = 0; id < replica.parameter_count(); ++id) {
    const std::string name = replica.parameter_name(id);
    const bool one = name.ends_with("/kernel") || name.ends_with("/gamma");
    replica.set_plain(id, std::vector<float>(replica.plain_values(id).size(), one ? 1.0f : 0.0f));
  }
  const std::vector<int32_t> labels(options.batch);
  engine->forward({images, labels});
  const std::span<const double> output = engine->output(node);
  return {output.begin(), output.end()};
}

TEST(ReferenceEngine, OddPaddingOfSameGoesAfter) {
  const Conv conv{.filters = 1, .kernel = 2, .stride = 2, .bias = false};
  EXPECT_THAT(output_of({1, 3, 3}, conv, counting(9)), ElementsAre(12, 9, 15, 9));
}

TEST(ReferenceEngine, ResnetPaddingGoesBeforeWhateverTheInput) {
  const Conv conv{
      .filters = 1, .kernel = 3, .stride = 2, .padding = Padding::SameResnet, .bias = false};
  // 1 2 3 4 / 5 6 7 8 / ...: windows start one row above and one column before the image.
  EXPECT_THAT(output_of({1, 4, 4}, conv, counting(16)),
              ElementsAre(1 + 2 + 5 + 6, 2 + 3 + 4 + 6 + 7 + 8, 5 + 6 + 9 + 10 + 13 + 14,
                          6 + 7 + 8 + 10 + 11 + 12 + 14 + 15 + 16));
}

TEST(ReferenceEngine, AConvolutionSumsOverInputChannelsAndADepthwiseOneDoesNot) {
  const Conv full{.filters = 2, .kernel = 1, .bias = false};
  EXPECT_THAT(output_of({2, 1, 2}, full, counting(4)), ElementsAre(4, 6, 4, 6));
  const Conv depthwise{
      .kernel = {1, 2}, .padding = Padding::Valid, .bias = false, .depthwise = true};
  EXPECT_THAT(output_of({2, 1, 2}, depthwise, counting(4)), ElementsAre(3, 7));
}

TEST(ReferenceEngine, AnAverageLeavesPaddingOutOfItsDivisor) {
  const Pool pool{.kind = Pool::Average, .window = 3, .stride = 1, .padding = Padding::Same};
  EXPECT_THAT(output_of({1, 1, 3}, pool, counting(3)), ElementsAre(1.5, 2, 2.5));
}

TEST(ReferenceEngine, PaddingIsBelowEveryMaximum) {
  const Pool pool{.window = 3, .stride = 1, .padding = Padding::Same};
  const std::vector<float> images{-5, -2, -7};
  EXPECT_THAT(output_of({1, 1, 3}, pool, images), ElementsAre(-2, -2, -2));
}

TEST(ReferenceEngine, ResponseNormalisationDoesNotDivideAlphaByTheWindow) {
  const Lrn lrn{.radius = 1, .bias = 2, .alpha = 0.5, .beta = 0.75};
  const std::vector<double> expected{1 / std::pow(2 + 0.5 * 5, 0.75),
                                     2 / std::pow(2 + 0.5 * 14, 0.75),
                                     3 / std::pow(2 + 0.5 * 13, 0.75)};
  EXPECT_THAT(output_of({3, 1, 1}, lrn, counting(3)), Pointwise(DoubleNear(1e-12), expected));
}

TEST(ReferenceEngine, BatchNormalisationDividesByTheBiasedDeviation) {
  const BatchNorm norm{.epsilon = 0.25, .scale = true};
  const std::vector<float> images{1, 4};  // two images of one pixel: mean 2.5, variance 2.25
  const double scale = 1 / std::sqrt(2.5);
  EXPECT_THAT(output_of({1, 1, 1}, norm, images),
              Pointwise(DoubleNear(1e-12), std::vector<double>{-1.5 * scale, 1.5 * scale}));
}

TEST(ReferenceEngine, MovingAveragesMoveByOneMinusTheDecay) {
  Graph graph({1, 1, 1});
  graph.add("bn", BatchNorm{.decay = 0.75}, {graph.image()});
  Replica replica(graph, make_reference_engine(graph, {.batch = 2}));
  const std::vector<float> images{1, 4};
  const std::vector<int32_t> labels(2);
  replica.engine().forward({images, labels});
  const auto state = replica.engine().state();
  EXPECT_EQ(state[0].name, "bn/moving_mean");
  EXPECT_EQ(state[1].name, "bn/moving_variance");
  EXPECT_FLOAT_EQ(state[0].values[0], 0.25f * 2.5f);
  EXPECT_FLOAT_EQ(state[1].values[0], 0.75f + 0.25f * 2.25f);
}

TEST(ReferenceEngine, InferenceNormalisesWithTheMovingAverages) {
  const std::vector<float> images{1, 4};
  EXPECT_THAT(output_of({1, 1, 1}, BatchNorm{.epsilon = 3}, images, {.mode = Mode::Inference}),
              ElementsAre(0.5, 2));  // mean 0, variance 1
}

TEST(ReferenceEngine, DropoutKeepsWhatTheMaskKeepsAndScalesIt) {
  const std::vector<float> images = counting(24);
  const RandomStream random(5, dropout_stream(1, 0));
  std::vector<double> expected;
  for (size_t i = 0; i < images.size(); ++i) {
    expected.push_back(keeps(random, i, 0.25) ? images[i] * 4 : 0);
  }
  EXPECT_THAT(output_of({3, 2, 2}, Dropout{.keep = 0.25}, images, {.seed = 5}),
              ElementsAreArray(expected));
  EXPECT_THAT(output_of({3, 2, 2}, Dropout{.keep = 0.25}, images, {.mode = Mode::Inference}),
              ElementsAreArray(images));
}

TEST(ReferenceEngine, ReluCutsAtZeroAndAtItsCeiling) {
  const std::vector<float> images{-1, 3, 7};
  EXPECT_THAT(output_of({1, 1, 3}, Relu{}, images), ElementsAre(0, 3, 7));
  EXPECT_THAT(output_of({1, 1, 3}, Relu{.ceiling = 6}, images), ElementsAre(0, 3, 6));
}

TEST(ReferenceEngine, PaddingChannelsAreZero) {
  EXPECT_THAT(output_of({1, 1, 2}, PadChannels{.before = 1, .after = 2}, counting(2)),
              ElementsAre(0, 0, 1, 2, 0, 0, 0, 0));
}

// A network that is only a loss: the image is one pixel, whose channels are the logits.
StepOutcome outcome_of(std::span<const float> logits, int label, double weight = 1) {
  const int classes = static_cast<int>(logits.size());
  Graph graph({classes, 1, 1});
  const NodeId flat = graph.add("flat", GlobalAveragePool{}, {graph.image()});
  graph.add("loss", SoftmaxLoss{.weight = weight}, {flat});
  Replica replica(graph, make_reference_engine(graph, {.batch = 1}));
  const std::vector<int32_t> labels{label};
  return replica.engine().forward({logits, labels});
}

TEST(ReferenceEngine, TheLossIsTheWeightedCrossEntropy) {
  const std::vector<float> logits{0, std::log(3.0f)};  // probabilities 1/4 and 3/4
  EXPECT_FLOAT_EQ(outcome_of(logits, 0).loss, std::log(4.0f));
  EXPECT_FLOAT_EQ(outcome_of(logits, 1, 0.5).loss, 0.5f * std::log(4.0f / 3.0f));
}

TEST(ReferenceEngine, AClassIsAmongTheBestWhenFewerAreStrictlyBetter) {
  const std::vector<float> logits{5, 5, 4, 3, 2, 2, 1};
  EXPECT_EQ(outcome_of(logits, 0).top_1_hits, 1);
  EXPECT_EQ(outcome_of(logits, 1).top_1_hits, 1);  // a tie is a hit
  EXPECT_EQ(outcome_of(logits, 2).top_1_hits, 0);
  EXPECT_EQ(outcome_of(logits, 5).top_5_hits, 1);
  EXPECT_EQ(outcome_of(logits, 6).top_5_hits, 0);
  EXPECT_EQ(outcome_of(logits, 0, 0.4).top_5_hits, 1);  // the only head, whatever its weight
}

TEST(ReferenceEngine, TheFirstMaximumGetsTheGradient) {
  Graph graph({1, 1, 2});
  NodeId x = graph.add("scale", Conv{.kernel = 1, .depthwise = true}, {graph.image()});
  x = graph.add("pad", PadChannels{.after = 1}, {x});
  x = graph.add("pool", Pool{.window = {1, 2}}, {x});
  x = graph.add("flat", GlobalAveragePool{}, {x});
  graph.add("loss", SoftmaxLoss{}, {x});
  Replica replica(graph, make_reference_engine(graph, {.batch = 1}));
  // Kernel 0 makes both pixels equal, so the kernel's gradient tells which pixel was chosen.
  const std::vector<float> images{3, 100};
  const std::vector<int32_t> labels{1};
  replica.step({images, labels});
  EXPECT_THAT(replica.plain_gradient(0), ElementsAre(0.5f * 3));
}

}  // namespace
}  // namespace lockstep
