// What every engine computes: on every small network, the loss and all gradients of the reference,
// and gradients that are the slope of the loss. Data gradients are seen through the parameters of
// the layers before. How engines behave otherwise is in engine_protocol_test.cpp and
// engine_training_test.cpp.
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "engine/reference/reference_engine.h"
#include "engine/reference/small_networks.h"
#include "support/engines.h"

namespace lockstep {
namespace {

constexpr uint64_t kSeed = 7;

class EngineContract : public ::testing::TestWithParam<std::tuple<EngineRow, SmallNetwork>> {
 protected:
  const EngineRow& row() const { return std::get<0>(GetParam()); }
  const SmallNetwork& network() const { return std::get<1>(GetParam()); }
  const Graph& graph() const { return network().graph; }

  EngineOptions options() const { return {.batch = network().batch, .seed = kSeed}; }
  Replica filled(std::unique_ptr<Engine> engine) const {
    Replica replica(graph(), std::move(engine));
    replica.fill(kSeed);
    return replica;
  }
  Replica under_test() const { return filled(row().make(graph(), options())); }
  Replica reference() const { return filled(make_reference_engine(graph(), options())); }
  Examples examples(uint64_t seed = kSeed) const {
    return random_examples(graph(), network().batch, seed);
  }
};

constexpr double kFloor = 1e-6;  // of gradients that are zero but for rounding

void expect_near(std::span<const float> actual, std::span<const float> expected, double tolerance,
                 const std::string& name) {
  EXPECT_LE(distance(actual, expected), tolerance * norm(expected) + kFloor)
      << name << ", whose norm is " << norm(expected);
}

TEST_P(EngineContract, LossAndGradientsAreThoseOfTheReference) {
  Replica actual = under_test(), expected = reference();
  const Examples examples = this->examples();
  const StepOutcome outcome = actual.step(examples.batch());
  const StepOutcome truth = expected.step(examples.batch());
  EXPECT_NEAR(outcome.loss, truth.loss, 1e-5 * truth.loss);
  EXPECT_EQ(outcome.top_1_hits, truth.top_1_hits);
  EXPECT_EQ(outcome.top_5_hits, truth.top_5_hits);
  for (ParameterId id = 0; id < expected.parameter_count(); ++id) {
    expect_near(actual.plain_gradient(id), expected.plain_gradient(id), 1e-4,
                expected.parameter_name(id));
  }
}

// Several steps: what an engine derives from values or keeps between steps must not go stale.
TEST_P(EngineContract, StepsOfGradientDescentFollowTheReference) {
  Replica actual = under_test(), expected = reference();
  for (uint64_t step = 0; step < 3; ++step) {
    const Examples examples = this->examples(step);
    const StepOutcome outcome = actual.train(examples.batch(), 0.01);
    const StepOutcome truth = expected.train(examples.batch(), 0.01);
    EXPECT_NEAR(outcome.loss, truth.loss, 1e-3 * truth.loss) << "in step " << step;
  }
  for (ParameterId id = 0; id < expected.parameter_count(); ++id) {
    expect_near(actual.plain_values(id), expected.plain_values(id), 1e-4,
                expected.parameter_name(id));
  }
}

// The loss at values moved by a small multiple of `direction`, and how far they really moved:
// values are floats, so the step taken is the rounded one.
struct Moved {
  double loss;
  std::vector<float> values;
};

Moved moved(const Graph& graph, const EngineOptions& options, const Examples& examples,
            ParameterId id, std::span<const double> direction) {
  auto owned = std::make_unique<ReferenceEngine>(graph, options);
  ReferenceEngine* engine = owned.get();
  Replica replica(graph, std::move(owned));
  replica.fill(kSeed);
  std::vector<float> values = replica.plain_values(id);
  for (size_t i = 0; i < values.size(); ++i) values[i] += static_cast<float>(direction[i]);
  replica.set_plain(id, values);
  engine->forward(examples.batch());
  return {engine->exact_loss(), values};
}

std::vector<double> random_direction(ParameterId id, size_t size, double length) {
  const RandomStream random(kSeed, 1000 + id);
  std::vector<double> direction(size);
  for (size_t i = 0; i < size; ++i) {
    direction[i] = (random.uniform(i) - 0.5) * length * std::sqrt(12.0 / size);
  }
  return direction;
}

TEST_P(EngineContract, GradientsAreTheSlopeOfTheLoss) {
  constexpr double kLength = 1e-6;  // short: few values may cross the corner of a ReLU
  Replica replica = under_test();
  const Examples examples = this->examples();
  replica.step(examples.batch());
  for (ParameterId id = 0; id < replica.parameter_count(); ++id) {
    const std::vector<float> gradient = replica.plain_gradient(id);
    std::vector<double> direction = random_direction(id, gradient.size(), kLength);
    const Moved ahead = moved(graph(), options(), examples, id, direction);
    for (double& part : direction) part = -part;
    const Moved behind = moved(graph(), options(), examples, id, direction);

    double predicted = 0, length = 0;
    for (size_t i = 0; i < gradient.size(); ++i) {
      const double way = static_cast<double>(ahead.values[i]) - behind.values[i];
      predicted += gradient[i] * way;
      length += way * way;
    }
    length = std::sqrt(length);
    // A random direction may be nearly level, so the slope that one would expect counts too.
    const double usual_slope = norm(gradient) / std::sqrt(gradient.size());
    const double slope = (ahead.loss - behind.loss) / length;
    EXPECT_NEAR(predicted / length, slope, 1e-4 * (std::abs(slope) + usual_slope) + kFloor)
        << replica.parameter_name(id);
  }
}

INSTANTIATE_TEST_SUITE_P(, EngineContract,
                         ::testing::Combine(::testing::ValuesIn(all_engines()),
                                            ::testing::ValuesIn(all_small_networks())),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param).name) + "_" +
                                  std::get<1>(test.param).name;
                         });

}  // namespace
}  // namespace lockstep
