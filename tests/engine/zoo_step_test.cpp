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
  MakeEngine make() const { return std::get<0>(GetParam()).make; }
  Graph graph() const {
    const ZooCase& zoo_case = std::get<1>(GetParam());
    return build(*zoo_case.model, zoo_case.options);
  }
};

// One thread: tests run side by side, and threads that wait for each other by spinning would not.
constexpr EngineOptions kOptions = {.batch = kBatch, .threads = 1, .seed = kSeed};

void set_first_values(Replica& replica, const Graph& graph) {
  for (ParameterId id = 0; const ParameterSpec& spec : parameters_of(graph)) {
    std::vector<float> values(spec.shape.elements());
    fill_initial_values(graph, spec, kSeed, values);
    replica.set_plain(id++, values);
  }
}

// Of the bits of all floats: large models would not fit into memory twice.
uint64_t fingerprint(std::span<const float> values) {
  uint64_t hash = 14695981039346656037u;  // FNV-1a, a word at a time
  for (const float value : values) hash = (hash ^ std::bit_cast<uint32_t>(value)) * 1099511628211u;
  return hash;
}

// One test: making a large model's first values takes longer than the step.
TEST_P(ZooStep, IsFiniteReachesEveryParameterAndRepeatsOnAnotherEngine) {
  const Graph graph = this->graph();
  Replica replica(graph, make()(graph, kOptions));
  set_first_values(replica, graph);
  const Examples examples = random_examples(graph, kBatch, kSeed);

  const float loss = replica.step(examples.batch()).loss;
  EXPECT_TRUE(std::isfinite(loss));
  for (ParameterId id = 0; id < replica.parameter_count(); ++id) {
    const double length = norm(replica.arena().gradient(id));
    EXPECT_TRUE(std::isfinite(length)) << replica.parameter_name(id);
    EXPECT_GT(length, 0) << replica.parameter_name(id);
  }

  const uint64_t gradients = fingerprint(replica.arena().all_gradients());
  replica.renew_engine(make(), kOptions);
  EXPECT_EQ(replica.step(examples.batch()).loss, loss);
  EXPECT_EQ(fingerprint(replica.arena().all_gradients()), gradients);
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
