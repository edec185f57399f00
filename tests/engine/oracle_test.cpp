// Every model of the zoo, on the native engine and on LibTorch, from the same values and images:
// two programs that share hardly a kernel come to the same numbers.
//
// Gradients need care. A gradient jumps where an activation crosses the corner of a ReLU, or where
// two values compete for a maximum. Of the millions of activations of a deep network, some lie
// closer to such a corner than rounding errors are large; each of them can change a gradient by a
// percent, and normalisation over two images magnifies that. Then two correct engines differ, and
// so does either of them from exact arithmetic. So gradients are compared closely on a smoothed
// copy of the network, which has the same layers but no corners, and coarsely on the network
// itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "engine/native/native_engine.h"
#include "engine/torch/torch_engine.h"
#include "nn/parameters.h"
#include "support/zoo_cases.h"

namespace lockstep {
namespace {

constexpr uint64_t kSeed = 7;

// One thread: tests run side by side, and threads that wait for each other by spinning would not.
const EngineOptions kOptions = {.batch = 2, .threads = 1, .seed = kSeed};

// Of the norm of a gradient. Corners cost up to a fifth (inception4).
constexpr double kSmooth = 1e-3, kWithCorners = 0.5;
// Normalisation over two images hands on the rounding errors of all layers before it, enlarged.
// After more than a hundred convolutions in a row they are thousandths of every gradient, whatever
// computes them. How much is measured: LibTorch once more, each value off by what a convolution
// rounds (direct: up to 8e-7, Winograd: up to 2e-6). The engines may differ by a few times that.
constexpr int kManyInARow = 100;
constexpr double kRounding = 1e-6, kTimesRounding = 5;
// Some gradients are zero but for rounding: of a bias in front of a normalisation, which takes it
// away again. Their size says nothing, so the error may also be this part of the largest gradient
// of the same layer.
constexpr double kOfLayer = 1e-4;

// Which device LibTorch computes on: tests/fake_accelerator has another one.
#ifndef LOCKSTEP_TORCH_DEVICE
#define LOCKSTEP_TORCH_DEVICE "cpu"
#endif
std::unique_ptr<Engine> make_oracle(const Graph& graph) {
  EngineOptions options = kOptions;
  options.device = LOCKSTEP_TORCH_DEVICE;
  return make_torch_engine(graph, options);
}

struct Pair {
  explicit Pair(const Graph& graph)
      : native(graph, make_native_engine(graph, kOptions)), torch(graph, make_oracle(graph)) {
    set_first_values(native, graph, kSeed);
    torch.copy_values_and_state_from(native);
  }

  Replica native, torch;
};

// Convolutions on the longest way through the network.
int convolutions_in_a_row(const Graph& graph) {
  std::vector<int> behind(graph.nodes().size());
  for (NodeId id = 0; id < static_cast<NodeId>(behind.size()); ++id) {
    for (const NodeId input : graph.node(id).inputs) {
      behind[id] = std::max(behind[id], behind[input]);
    }
    behind[id] += std::holds_alternative<Conv>(graph.node(id).layer) ? 1 : 0;
  }
  return *std::ranges::max_element(behind);
}

Graph smoothed(const Graph& graph) {
  Graph result(graph.shape(graph.image()));
  for (NodeId id = 1; id < static_cast<NodeId>(graph.nodes().size()); ++id) {
    const Node& node = graph.node(id);
    Layer layer = node.layer;
    // x / sqrt(1 + x^2 / 2). Flat activations are too few to come near a corner.
    if (std::holds_alternative<Relu>(layer) && node.output.rank() == 3) {
      layer = Lrn{.radius = 0, .bias = 1, .alpha = 0.5, .beta = 0.5};
    }
    if (Pool* pool = std::get_if<Pool>(&layer)) pool->kind = Pool::Average;
    result.add(node.name, layer, node.inputs);
  }
  return result;
}

// By node: the largest norm among its parameters' gradients.
std::vector<double> largest_gradients(const Graph& graph, const Replica& replica) {
  std::vector<double> largest(graph.nodes().size());
  for (ParameterId id = 0; const ParameterSpec& spec : parameters_of(graph)) {
    largest[spec.node] = std::max(largest[spec.node], norm(replica.plain_gradient(id++)));
  }
  return largest;
}

// What rounding may add to the differences of a loss and of each gradient.
struct Allowance {
  double loss = 0;
  std::vector<double> gradients;
};

void shake_values(Replica& replica) {
  const RandomStream random(kSeed, 0);
  const double evenly = std::sqrt(3.0);  // between -1 and 1, to a deviation of one
  uint64_t next = 0;
  for (ParameterId id = 0; id < replica.parameter_count(); ++id) {
    std::vector<float> values = replica.plain_values(id);
    for (float& value : values) value *= 1 + kRounding * evenly * (2 * random.uniform(next++) - 1);
    replica.set_plain(id, values);
  }
}

Allowance allowance_of(const Graph& graph, Pair& pair, const Batch& batch) {
  Allowance allowance{.gradients = std::vector<double>(parameters_of(graph).size())};
  if (convolutions_in_a_row(graph) <= kManyInARow) return allowance;
  Replica shaken(graph, make_oracle(graph));
  shaken.copy_values_and_state_from(pair.native);
  shake_values(shaken);
  const float loss = shaken.step(batch).loss;
  allowance.loss = kTimesRounding * std::abs(loss - pair.torch.step(batch).loss);
  for (ParameterId id = 0; id < shaken.parameter_count(); ++id) {
    allowance.gradients[id] =
        kTimesRounding * distance(shaken.plain_gradient(id), pair.torch.plain_gradient(id));
  }
  return allowance;
}

void expect_equal_gradients(const Graph& graph, const Pair& pair, double tolerance,
                            const Allowance& allowance) {
  const std::vector<double> largest = largest_gradients(graph, pair.torch);
  for (ParameterId id = 0; const ParameterSpec& spec : parameters_of(graph)) {
    const std::vector<float> gradient = pair.torch.plain_gradient(id);
    EXPECT_LE(distance(pair.native.plain_gradient(id), gradient),
              tolerance * norm(gradient) + kOfLayer * largest[spec.node] + allowance.gradients[id])
        << spec.name << ", whose gradient has norm " << norm(gradient) << " and rounding allows "
        << allowance.gradients[id];
    ++id;
  }
}

class Oracle : public ::testing::TestWithParam<ZooCase> {};

// A step this long lowers the loss by a hundredth, as far as the loss is straight. Networks differ
// by many orders of magnitude in how steep it is, and long steps take two engines different ways.
double short_rate(Replica& replica, float loss) {
  const double slope = norm(replica.arena().all_gradients());
  return 0.01 * loss / (slope * slope);
}

TEST_P(Oracle, NativeAndTorchAgreeOnLossesWhileTraining) {
  const Graph graph = GetParam().graph();
  const Examples examples = random_examples(graph, kOptions.batch, kSeed);
  Pair pair(graph);
  const Allowance allowance = allowance_of(graph, pair, examples.batch());
  double rate = 0;
  for (int step = 0; step < 3; ++step) {
    const float loss = pair.torch.step(examples.batch()).loss;
    EXPECT_NEAR(pair.native.step(examples.batch()).loss, loss,
                (step == 0 ? 1e-4 : 1e-3) * loss + allowance.loss);
    if (step == 0) expect_equal_gradients(graph, pair, kWithCorners, allowance);
    if (step == 0) rate = short_rate(pair.torch, loss);
    pair.native.descend(rate);
    pair.torch.descend(rate);
  }
  const float loss = pair.torch.engine().forward(examples.batch()).loss;
  EXPECT_NEAR(pair.native.engine().forward(examples.batch()).loss, loss,
              1e-3 * loss + allowance.loss);
}

TEST_P(Oracle, NativeAndTorchAgreeOnEveryGradientWithoutCorners) {
  const Graph graph = smoothed(GetParam().graph());
  const Examples examples = random_examples(graph, kOptions.batch, kSeed);
  Pair pair(graph);
  const Allowance allowance = allowance_of(graph, pair, examples.batch());
  const float loss = pair.torch.step(examples.batch()).loss;
  EXPECT_NEAR(pair.native.step(examples.batch()).loss, loss, 1e-4 * loss + allowance.loss);
  expect_equal_gradients(graph, pair, kSmooth, allowance);
}

INSTANTIATE_TEST_SUITE_P(, Oracle, ::testing::ValuesIn(zoo_cases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace lockstep
