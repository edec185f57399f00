// Every model of the zoo takes a step on every production engine: the numbers are finite, a second
// engine repeats them, and nothing is cut off from the loss.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "support/engines.h"
#include "support/zoo_cases.h"

namespace lockstep {
namespace {

constexpr int kBatch = 2;
constexpr uint64_t kSeed = 7;

class ZooStep : public ::testing::TestWithParam<std::tuple<EngineRow, ZooCase>> {
 protected:
  MakeEngine make() const { return std::get<0>(GetParam()).make; }
  Graph graph() const { return std::get<1>(GetParam()).graph(); }
};

// One thread: tests run side by side, and threads that wait for each other by spinning would not.
const EngineOptions kOptions = {.batch = kBatch, .threads = 1, .seed = kSeed};

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
  set_first_values(replica, graph, kSeed);
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
