// What every engine learns and remembers: moving averages, inference with them, and a small set
// of images by heart.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "contract/engine_fixture.h"
#include "engine/reference/reference_engine.h"
#include "nn/parameters.h"

namespace lockstep {
namespace {

constexpr const char* kNormalised[] = {"ConvNormReluTwice", "ResidualBlock", "PreactivationBlock",
                                       "ConcatOfFour",      "DenseBlock",    "InvertedBottleneck"};
constexpr const char* kAnyInference[] = {
    "ConvNormReluTwice", "ResidualBlock",          "PreactivationBlock", "ConcatOfFour",
    "DenseBlock",        "InvertedBottleneck",     "DenseWithDropout",   "AuxiliaryHead",
    "PaddedShortcut",    "ResponseNormBeforePool", "ConvRelu6Conv",      "NormWithTwoReaders"};

class EngineTraining : public PerEngine {
 protected:
  // After a few steps, so that moving averages have moved.
  Replica trained(const SmallNetwork& network) const {
    Replica replica = this->replica(network);
    for (uint64_t step = 0; step < 4; ++step) replica.train(examples(network, step).batch(), 0.02);
    return replica;
  }
  static EngineOptions inference(int batch) { return {.batch = batch, .mode = Mode::Inference}; }
};

TEST_P(EngineTraining, MovingAveragesStartAtZeroAndOne) {
  Replica replica = this->replica(small_network("ResidualBlock"));
  ASSERT_FALSE(replica.engine().state().empty());
  for (const StateInfo& state : replica.engine().state()) {
    const float start = state.name.ends_with("/moving_mean") ? 0.0f : 1.0f;
    for (const float value : state.values) EXPECT_EQ(value, start) << state.name;
  }
}

TEST_P(EngineTraining, MovingAveragesFollowTheReference) {
  for (const char* name : kNormalised) {
    const SmallNetwork network = small_network(name);
    Replica actual = trained(network);
    Replica expected(network.graph, make_reference_engine(network.graph, {.batch = network.batch}));
    expected.fill(kSeed);
    for (uint64_t step = 0; step < 4; ++step) expected.train(examples(network, step).batch(), 0.02);

    const auto states = actual.engine().state(), truths = expected.engine().state();
    ASSERT_EQ(states.size(), truths.size()) << name;
    for (size_t i = 0; i < truths.size(); ++i) {
      EXPECT_EQ(states[i].name, truths[i].name);
      ASSERT_EQ(states[i].values.size(), truths[i].values.size()) << states[i].name;
      EXPECT_LE(distance(states[i].values, truths[i].values), 1e-4 * norm(truths[i].values))
          << name << " " << states[i].name;
    }
  }
}

TEST_P(EngineTraining, InferenceDoesNotMoveTheAverages) {
  const SmallNetwork network = small_network("ResidualBlock");
  Replica replica = this->replica(network.graph, inference(network.batch));
  replica.engine().forward(examples(network).batch());
  for (const StateInfo& state : replica.engine().state()) {
    const float start = state.name.ends_with("/moving_mean") ? 0.0f : 1.0f;
    for (const float value : state.values) EXPECT_EQ(value, start) << state.name;
  }
}

struct Hits {
  std::vector<int> top_1, top_5;  // by class: how many images have it there
  bool operator==(const Hits&) const = default;
};

Hits hits_by_class(Replica& replica, const Graph& graph, std::span<const float> images, int count) {
  Hits hits;
  for (int label = 0; label < classes_of(graph); ++label) {
    const std::vector<int32_t> labels(count, label);
    const StepOutcome outcome = replica.engine().forward({images, labels});
    EXPECT_EQ(outcome.loss, 0);
    hits.top_1.push_back(outcome.top_1_hits);
    hits.top_5.push_back(outcome.top_5_hits);
  }
  return hits;
}

TEST_P(EngineTraining, InferenceRanksClassesAsTheReferenceDoes) {
  constexpr int kImages = 16;
  for (const char* name : kAnyInference) {
    const SmallNetwork network = small_network(name);
    Replica source = trained(network);
    Replica actual = make_replica(GetParam(), network.graph, inference(kImages));
    Replica expected(network.graph, make_reference_engine(network.graph, inference(kImages)));
    actual.copy_values_and_state_from(source);
    expected.copy_values_and_state_from(source);
    const Examples examples = random_examples(network.graph, kImages, 3);
    const Hits hits = hits_by_class(actual, network.graph, examples.images, kImages);
    EXPECT_EQ(hits, hits_by_class(expected, network.graph, examples.images, kImages)) << name;
    int ranked_first = 0;
    for (const int images : hits.top_1) ranked_first += images;
    EXPECT_EQ(ranked_first, kImages) << name;
  }
}

TEST_P(EngineTraining, InferenceOnAnImageDoesNotDependOnItsNeighbours) {
  constexpr int kImages = 6;
  for (const char* name : kNormalised) {
    const SmallNetwork network = small_network(name);
    Replica source = trained(network);
    Replica together = make_replica(GetParam(), network.graph, inference(kImages));
    Replica alone = make_replica(GetParam(), network.graph, inference(1));
    together.copy_values_and_state_from(source);
    alone.copy_values_and_state_from(source);
    const Examples examples = random_examples(network.graph, kImages, 3);
    Hits sum{std::vector<int>(7), std::vector<int>(7)};
    const size_t size = examples.images.size() / kImages;
    for (int image = 0; image < kImages; ++image) {
      const Hits one = hits_by_class(alone, network.graph,
                                     std::span(examples.images).subspan(image * size, size), 1);
      for (int label = 0; label < 7; ++label) {
        sum.top_1[label] += one.top_1[label];
        sum.top_5[label] += one.top_5[label];
      }
    }
    EXPECT_EQ(hits_by_class(together, network.graph, examples.images, kImages), sum) << name;
  }
}

TEST_P(EngineTraining, AnImageWithoutLabelIsNotAHit) {
  constexpr int kImages = 4;
  const SmallNetwork network = small_network("ConvNormReluTwice");
  Replica replica = make_replica(GetParam(), network.graph, inference(kImages));
  replica.fill(5);
  const Examples examples = random_examples(network.graph, kImages, 3);
  std::vector<int32_t> labels(kImages, kNoLabel);
  EXPECT_EQ(replica.engine().forward({examples.images, labels}).top_5_hits, 0);
  int hits = 0;
  for (int label = 0; label < classes_of(network.graph); ++label) {
    labels[2] = label;
    hits += replica.engine().forward({examples.images, labels}).top_1_hits;
  }
  EXPECT_EQ(hits, 1);
}

// Two classes; each head always answers its own number.
struct Heads {
  std::vector<double> weights;
  int counted;
};

Graph graph_with(const Heads& heads) {
  Graph graph({3, 4, 4});
  const NodeId x = graph.add("conv", Conv{.filters = 4}, {graph.image()});
  for (size_t head = 0; head < heads.weights.size(); ++head) {
    const NodeId logits = graph.add(fmt::format("fc{}", head), Dense{.units = 2}, {x});
    graph.add(fmt::format("loss{}", head), SoftmaxLoss{.weight = heads.weights[head]}, {logits});
  }
  return graph;
}

void let_heads_answer(Replica& replica, const Graph& graph) {
  int head = 0;
  for (ParameterId id = 0; const ParameterSpec& spec : parameters_of(graph)) {
    std::vector<float> values(static_cast<size_t>(spec.shape.elements()), 0.0f);
    const bool answers = std::holds_alternative<Dense>(graph.node(spec.node).layer) &&
                         spec.role == ParameterRole::Bias;
    if (answers) values[static_cast<size_t>(head++)] = 1;
    replica.set_plain(id++, values);
  }
}

TEST_P(EngineTraining, HitsAreThoseOfTheMainHead) {
  constexpr int kImages = 3;
  const Heads cases[] = {{{0.5}, 0}, {{1, 1}, 1}, {{2, 0.4}, 0}, {{0.4, 1}, 1}};
  for (const Heads& heads : cases) {
    const Graph graph = graph_with(heads);
    const Examples examples = random_examples(graph, kImages, 3);
    for (const Mode mode : {Mode::Training, Mode::Inference}) {
      Replica replica = this->replica(graph, {.batch = kImages, .mode = mode});
      let_heads_answer(replica, graph);
      const auto outcome_of = [&](int label) {
        const std::vector<int32_t> labels(kImages, label);
        return replica.engine().forward({examples.images, labels});
      };
      EXPECT_EQ(outcome_of(heads.counted).top_1_hits, kImages);
      EXPECT_EQ(outcome_of(1 - heads.counted).top_1_hits, 0);
      EXPECT_EQ(outcome_of(heads.counted).top_5_hits, kImages);
    }
  }
}

TEST_P(EngineTraining, ANanLogitIsNotAHit) {
  const SmallNetwork network = small_network("ConvNormReluTwice");
  Replica replica = this->replica(network);
  const ParameterId bias = replica.parameter_count() - 1;
  std::vector<float> values = replica.plain_values(bias);
  std::ranges::fill(values, std::numeric_limits<float>::quiet_NaN());
  replica.set_plain(bias, values);
  const StepOutcome outcome = replica.engine().forward(examples(network).batch());
  EXPECT_TRUE(std::isnan(outcome.loss));
  EXPECT_EQ(outcome.top_5_hits, 0);
}

TEST_P(EngineTraining, ASmallNetworkLearnsEightImagesByHeart) {
  Graph graph({3, 8, 8});
  NodeId x = graph.add("conv", Conv{.filters = 12, .kernel = 3, .bias = false}, {graph.image()});
  x = graph.add("batchnorm", BatchNorm{.scale = true}, {x});
  x = graph.add("relu", Relu{}, {x});
  x = graph.add("pool", Pool{.window = 2, .stride = 2}, {x});
  add_head(graph, x);
  Replica replica = this->replica(graph, {.batch = 8});
  const Examples examples = random_examples(graph, 8, kSeed);
  const float first = replica.step(examples.batch()).loss;
  for (int step = 0; step < 300; ++step) replica.train(examples.batch(), 0.05);
  const StepOutcome last = replica.step(examples.batch());
  EXPECT_GT(first, 0.5);
  EXPECT_LT(last.loss, 0.01);
  EXPECT_EQ(last.top_1_hits, 8);
}

INSTANTIATE_TEST_SUITE_P(, EngineTraining, ::testing::ValuesIn(all_engines()), engine_name);

}  // namespace
}  // namespace lockstep
