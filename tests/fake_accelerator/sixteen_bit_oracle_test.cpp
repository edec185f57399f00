// Every model of the zoo in fp16 and bf16: LibTorch on the fake beside a reference that rounds
// where a device does. Both round at the same places, so they differ only where sums of another
// order end on the other side of a rounding step, and by what later layers make of that.
//
// Normalisation over two images enlarges such differences from layer to layer, whatever computes
// them. How much is measured: the reference once more, each value off by what a sum in f32 rounds.
// The fake may differ by a few times that.
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "engine/torch/torch_engine.h"
#include "fake_accelerator/rounded_reference.h"
#include "support/zoo_cases.h"

namespace lockstep {
namespace {

constexpr uint64_t kSeed = 7;
constexpr double kRounding = 1e-6, kTimesRounding = 5;

struct Precision {
  Dtype dtype;
  double loss_scale;
  double loss, gradients;  // part of the loss, and of the norm of all gradients
};
constexpr Precision kPrecisions[] = {{Dtype::Fp16, 128, 1e-3, 0.05}, {Dtype::Bf16, 1, 5e-3, 0.1}};

using Rows = std::vector<std::vector<float>>;  // by parameter, plain

Rows values_of(const Replica& replica) {
  Rows rows;
  for (ParameterId id = 0; id < replica.parameter_count(); ++id) {
    rows.push_back(replica.plain_values(id));
  }
  return rows;
}

Rows gradients_of(const Replica& replica) {
  Rows rows;
  for (ParameterId id = 0; id < replica.parameter_count(); ++id) {
    rows.push_back(replica.plain_gradient(id));
  }
  return rows;
}

Rows shaken(Rows rows) {
  const RandomStream random(kSeed, 0);
  uint64_t next = 0;
  for (std::vector<float>& row : rows) {
    for (float& value : row) value *= 1 + kRounding * (2 * random.uniform(next++) - 1);
  }
  return rows;
}

double distance_of(const Rows& rows, const Rows& others) {
  double squares = 0;
  for (size_t i = 0; i < rows.size(); ++i) squares += std::pow(distance(rows[i], others[i]), 2);
  return std::sqrt(squares);
}

double norm_of(const Rows& rows) {
  double squares = 0;
  for (const std::vector<float>& row : rows) squares += std::pow(norm(row), 2);
  return std::sqrt(squares);
}

class SixteenBitOracle : public ::testing::TestWithParam<ZooCase> {};

TEST_P(SixteenBitOracle, TheFakeComputesWhatTheRoundedReferenceDoes) {
  const Graph graph = GetParam().graph();
  for (const Precision& precision : kPrecisions) {
    SCOPED_TRACE(name_of(precision.dtype));
    const EngineOptions options = {.batch = 2,
                                   .threads = 1,
                                   .seed = kSeed,
                                   .device = "privateuseone",
                                   .dtype = precision.dtype,
                                   .loss_scale = {.first = precision.loss_scale}};
    const Examples examples = random_examples(graph, options.batch, kSeed);
    Replica actual(graph, make_torch_engine(graph, options));
    set_first_values(actual, graph, kSeed);
    const Rows values = values_of(actual);
    const RoundedStep expected = rounded_step(graph, options, values, examples.batch());
    const RoundedStep other = rounded_step(graph, options, shaken(values), examples.batch());
    const float loss = actual.step(examples.batch()).loss;
    EXPECT_NEAR(
        loss, expected.loss,
        precision.loss * expected.loss + kTimesRounding * std::abs(other.loss - expected.loss));
    EXPECT_LE(distance_of(gradients_of(actual), expected.gradients),
              precision.gradients * norm_of(expected.gradients) +
                  kTimesRounding * distance_of(other.gradients, expected.gradients));
  }
}

INSTANTIATE_TEST_SUITE_P(, SixteenBitOracle, ::testing::ValuesIn(zoo_cases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace lockstep
