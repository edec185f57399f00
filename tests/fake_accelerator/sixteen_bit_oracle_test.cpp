// Every model of the zoo in fp16 and bf16: LibTorch on the fake beside a reference that rounds
// where a device does. Both round at the same places, so they differ only where sums of another
// order end on the other side of a rounding step, and by what later layers make of that.
//
// Normalisation over two images enlarges such differences from layer to layer, whatever computes
// them. How much is measured: the reference once more, each value off by what a sum in f32 rounds.
// The fake may differ by a few times that. One such change may by chance move a loss by nothing, so
// where it does not explain a difference, others are tried.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "engine/torch/torch_engine.h"
#include "fake_accelerator/rounded_reference.h"
#include "support/zoo_cases.h"

namespace lockstep {
namespace {

constexpr uint64_t kSeed = 7;
constexpr double kRounding = 1e-6, kTimesRounding = 5;
constexpr uint64_t kMostChanges = 6;

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

Rows shaken(Rows rows, uint64_t change) {
  const RandomStream random(kSeed, change);
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
    const double loss = actual.step(examples.batch()).loss;
    const double loss_off = std::abs(loss - expected.loss);
    const double gradients_off = distance_of(gradients_of(actual), expected.gradients);
    double most_loss = 0, most_gradients = 0;  // that the difference may be
    const auto is_explained = [&] {
      return loss_off <= most_loss && gradients_off <= most_gradients;
    };
    for (uint64_t change = 0; change < kMostChanges && !is_explained(); ++change) {
      const RoundedStep other =
          rounded_step(graph, options, shaken(values, change), examples.batch());
      most_loss = std::max(most_loss, precision.loss * expected.loss +
                                          kTimesRounding * std::abs(other.loss - expected.loss));
      most_gradients = std::max(
          most_gradients, precision.gradients * norm_of(expected.gradients) +
                              kTimesRounding * distance_of(other.gradients, expected.gradients));
    }
    EXPECT_LE(loss_off, most_loss) << loss << " instead of " << expected.loss;
    EXPECT_LE(gradients_off, most_gradients);
  }
}

INSTANTIATE_TEST_SUITE_P(, SixteenBitOracle, ::testing::ValuesIn(zoo_cases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace lockstep
