// Every model of the zoo in fp16 and bf16: LibTorch on the fake beside a reference that rounds
// where a device does. Both round at the same places, so they differ only where sums of another
// order end on the other side of a rounding step, and by what later layers make of that.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/torch/torch_engine.h"
#include "fake_accelerator/rounded_reference.h"
#include "nn/parameters.h"
#include "support/zoo_cases.h"

namespace lockstep {
namespace {

constexpr uint64_t kSeed = 7;

struct Precision {
  Dtype dtype;
  double loss_scale;
  double loss;       // part of the loss
  double gradients;  // part of the norm of all gradients
};
constexpr Precision kPrecisions[] = {{Dtype::Fp16, 128, 2e-3, 0.05}, {Dtype::Bf16, 1, 2e-2, 0.3}};

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
    std::vector<std::vector<float>> values;
    for (ParameterId id = 0; id < actual.parameter_count(); ++id) {
      values.push_back(actual.plain_values(id));
    }
    const RoundedStep expected = rounded_step(graph, options, values, examples.batch());
    const float loss = actual.step(examples.batch()).loss;
    EXPECT_NEAR(loss, expected.loss, precision.loss * expected.loss);
    double off = 0, size = 0;
    for (ParameterId id = 0; id < actual.parameter_count(); ++id) {
      const auto& truth = expected.gradients[static_cast<size_t>(id)];
      off += std::pow(distance(actual.plain_gradient(id), truth), 2);
      size += std::pow(norm(truth), 2);
    }
    EXPECT_LE(std::sqrt(off), precision.gradients * std::sqrt(size));
    RecordProperty("gradients off", std::to_string(std::sqrt(off / size)));
    printf("%s %s loss %g off %g gradients off %g\n", GetParam().name.c_str(),
           std::string(name_of(precision.dtype)).c_str(), expected.loss,
           std::abs(loss - expected.loss) / expected.loss, std::sqrt(off / size));
  }
}

INSTANTIATE_TEST_SUITE_P(, SixteenBitOracle, ::testing::ValuesIn(zoo_cases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace lockstep
