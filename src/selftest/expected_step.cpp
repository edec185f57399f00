#include "selftest/expected_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/fnv1a.h"
#include "engine/reference/reference_engine.h"
#include "nn/parameters.h"

namespace lockstep {
namespace {

constexpr uint64_t kSeed = 7;
constexpr double kFloor = 1e-6;  // of gradients that are zero but for rounding

// By format. With fewer bits an activation may end on the other side of a ReLU's corner, and the
// right class behind another one. Errors of a gradient that should be zero, as that of a bias in
// front of a normalisation, are measured by the largest gradient of the network.
struct Tolerance {
  double loss, gradient, of_largest;
  bool counts_hits;
};
constexpr Tolerance kTolerances[] = {{1e-5, 1e-4, 0, true},
                                     {5e-3, 0.2, 0.02, false},
                                     {5e-3, 0.2, 0.02, false},
                                     {4e-2, 0.7, 0.1, false}};
constexpr double kLossScale = 128;  // of fp16

ActualStep step_of(const SmallNetwork& network, const Examples& examples, const StepPlace& place) {
  EngineOptions options = {.batch = network.batch,
                           .threads = place.threads,
                           .seed = kSeed,
                           .device = place.device,
                           .dtype = place.dtype};
  if (place.dtype == Dtype::Fp16) options.loss_scale.first = kLossScale;
  Replica replica(network.graph, place.make(network.graph, options));
  replica.fill(kSeed);
  ActualStep step = {.outcome = replica.step(examples.batch()), .gradients = {}};
  for (ParameterId id = 0; id < replica.parameter_count(); ++id) {
    step.gradients.push_back(replica.plain_gradient(id));
  }
  return step;
}

}  // namespace

std::vector<ExpectedStep> expected_steps() {
  std::vector<ExpectedStep> all;
  for (SmallNetwork& network : all_small_networks()) {
    Examples examples = random_examples(network.graph, network.batch, kSeed);
    ActualStep step = step_of(network, examples, {.make = make_reference_engine});
    all.push_back(
        {std::move(network), std::move(examples), step.outcome, std::move(step.gradients)});
  }
  return all;
}

ActualStep take_step(const ExpectedStep& expected, const StepPlace& place) {
  return step_of(expected.network, expected.examples, place);
}

std::optional<std::string> difference(const ExpectedStep& expected, const ActualStep& actual,
                                      Dtype dtype) {
  const Tolerance tolerance = kTolerances[static_cast<size_t>(dtype)];
  const StepOutcome &truth = expected.outcome, &got = actual.outcome;
  // Written so that a NaN is a difference.
  if (!(std::abs(got.loss - truth.loss) <= tolerance.loss * truth.loss)) {
    return fmt::format("loss {} instead of {}", got.loss, truth.loss);
  }
  const bool same_hits = got.top_1_hits == truth.top_1_hits && got.top_5_hits == truth.top_5_hits;
  if (tolerance.counts_hits && !same_hits) {
    return fmt::format("{} and {} hits instead of {} and {}", got.top_1_hits, got.top_5_hits,
                       truth.top_1_hits, truth.top_5_hits);
  }
  double largest = 0;
  for (const auto& gradient : expected.gradients) largest = std::max(largest, norm(gradient));
  for (size_t id = 0; id < expected.gradients.size(); ++id) {
    const double off = distance(actual.gradients[id], expected.gradients[id]);
    const double size = norm(expected.gradients[id]);
    if (off <= tolerance.gradient * size + tolerance.of_largest * largest + kFloor)
      continue;  // a NaN is not
    return fmt::format("gradient of {} is off by {:.2g} of its size (limit {:.0e})",
                       parameters_of(expected.network.graph)[id].name, off / size,
                       tolerance.gradient);
  }
  return {};
}

uint64_t digest_of(const ActualStep& actual) {
  Fnv1a hash;
  hash.add(uint64_t{std::bit_cast<uint32_t>(actual.outcome.loss)});
  for (const std::vector<float>& gradient : actual.gradients) {
    for (const float value : gradient) hash.add(uint64_t{std::bit_cast<uint32_t>(value)});
  }
  return hash.value();
}

}  // namespace lockstep
