// Every model of the zoo takes a step on every production engine: the numbers are finite, a second
// engine repeats them, and nothing is cut off from the loss.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "nn/initial_values.h"
#include "nn/parameters.h"
#include "nn/zoo.h"
#include "support/engines.h"

namespace lockstep {
namespace {

constexpr int kBatch = 2;
constexpr uint64_t kSeed = 7;

struct ZooCase {
  std::string name;
  const Model* model;
  ModelOptions options;
};

void PrintTo(const ZooCase& zoo_case, std::ostream* out) { *out << zoo_case.name; }

std::string letters_and_digits(std::string_view text) {
  std::string result(text);
  for (char& letter : result) {
    if (!std::isalnum(static_cast<unsigned char>(letter))) letter = '_';
  }
  return result;
}

std::vector<ZooCase> zoo_cases() {
  std::vector<ZooCase> cases;
  for (const Model& model : models()) {
    cases.push_back({letters_and_digits(model.name), &model, {}});
  }
  cases.push_back({"inception3_with_aux_head", &find_model("inception3"), {.aux_head = true}});
  return cases;
}

class ZooStep : public ::testing::TestWithParam<std::tuple<EngineRow, ZooCase>> {
 protected:
  Replica at_first_values() const {
    Replica replica = make_replica(std::get<0>(GetParam()), graph_,
                                   {.batch = kBatch, .threads = 2, .seed = kSeed});
    for (ParameterId id = 0; const ParameterSpec& spec : parameters_of(graph_)) {
      std::vector<float> values(spec.shape.elements());
      fill_initial_values(graph_, spec, kSeed, values);
      replica.set_plain(id++, values);
    }
    return replica;
  }

  const Graph graph_ = build(*std::get<1>(GetParam()).model, std::get<1>(GetParam()).options);
  const Examples examples_ = random_examples(graph_, kBatch, kSeed);
};

// Of the bits of all floats: large models would not fit into memory twice.
uint64_t fingerprint(std::span<const float> values) {
  uint64_t hash = 14695981039346656037u;  // FNV-1a, a word at a time
  for (const float value : values) hash = (hash ^ std::bit_cast<uint32_t>(value)) * 1099511628211u;
  return hash;
}

TEST_P(ZooStep, LossIsFiniteAndEveryParameterHasAGradient) {
  Replica replica = at_first_values();
  EXPECT_TRUE(std::isfinite(replica.step(examples_.batch()).loss));
  for (ParameterId id = 0; id < replica.parameter_count(); ++id) {
    const double length = norm(replica.arena().gradient(id));
    EXPECT_TRUE(std::isfinite(length)) << replica.parameter_name(id);
    EXPECT_GT(length, 0) << replica.parameter_name(id);
  }
}

TEST_P(ZooStep, AStepFromTheSameValuesGivesTheSameLossAndGradients) {
  std::vector<float> losses;
  std::vector<uint64_t> gradients;
  for (int repeat = 0; repeat < 2; ++repeat) {
    Replica replica = at_first_values();
    losses.push_back(replica.step(examples_.batch()).loss);
    gradients.push_back(fingerprint(replica.arena().all_gradients()));
  }
  EXPECT_EQ(losses[0], losses[1]);
  EXPECT_EQ(gradients[0], gradients[1]);
}

INSTANTIATE_TEST_SUITE_P(, ZooStep,
                         ::testing::Combine(::testing::ValuesIn(production_engines()),
                                            ::testing::ValuesIn(zoo_cases())),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param).name) + "_" +
                                  std::get<1>(test.param).name;
                         });
// The reference would take hours; without another engine in the build there is nothing to run.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ZooStep);

}  // namespace
}  // namespace lockstep
