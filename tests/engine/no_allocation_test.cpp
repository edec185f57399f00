// A measured step asks for no memory: an allocation costs time that belongs to nobody, takes locks
// and makes steps differ from each other.
#include <gtest/gtest.h>

#include <cstdlib>

#include "engine/allocation_count.h"
#include "engine/reference/small_networks.h"
#include "support/engines.h"
#include "tensor/memory.h"

namespace lockstep {
namespace {

TEST(AllocationCount, SeesEveryKindOfRequest) {
  if (!allocations_are_counted()) GTEST_SKIP() << "the sanitizer has its own allocator";
  const int64_t before = allocations_so_far().own;
  void* volatile block = std::malloc(10);
  EXPECT_EQ(allocations_so_far().own, before + 1);
  std::free(block);
  auto volatile object = std::make_unique<int>(3).release();
  EXPECT_EQ(allocations_so_far().own, before + 2);
  std::unique_ptr<int> owned(object);
  const Memory memory(1 << 20);
  EXPECT_EQ(allocations_so_far().own, before + 3);
}

class NoAllocation : public ::testing::TestWithParam<EngineRow> {
 protected:
  void SetUp() override {
    if (!allocations_are_counted()) GTEST_SKIP() << "the sanitizer has its own allocator";
  }
  Replica replica(const SmallNetwork& network, EngineOptions options) const {
    options.batch = network.batch;
    Replica result = make_replica(GetParam(), network.graph, options);
    result.fill(7);
    return result;
  }
};

// What three calls ask for, after two that may.
template <typename Step>
Allocations allocations_of_three(Step step) {
  for (int i = 0; i < 2; ++i) step();
  const Allocations before = allocations_so_far();
  for (int i = 0; i < 3; ++i) step();
  const Allocations after = allocations_so_far();
  return {after.own - before.own, after.by_runtimes - before.by_runtimes};
}

TEST_P(NoAllocation, TrainingAllocatesNothingAfterTwoSteps) {
  for (const SmallNetwork& network : block_networks()) {
    for (const int threads : {1, 2}) {
      Replica replica = this->replica(network, {.threads = threads});
      const Examples examples = random_examples(network.graph, network.batch, 7);
      const Allocations asked =
          allocations_of_three([&] { replica.train(examples.batch(), 0.01); });
      EXPECT_EQ(asked.own, 0) << network.name << ", " << threads << " threads";
      EXPECT_EQ(asked.by_runtimes % 3, 0) << network.name << ": steps differ from each other";
    }
  }
}

TEST_P(NoAllocation, InferenceAllocatesNothingAfterTwoSteps) {
  for (const SmallNetwork& network : block_networks()) {
    Replica replica = this->replica(network, {.mode = Mode::Inference});
    const Examples examples = random_examples(network.graph, network.batch, 7);
    const Allocations asked =
        allocations_of_three([&] { replica.engine().forward(examples.batch()); });
    EXPECT_EQ(asked.own, 0) << network.name;
    EXPECT_EQ(asked.by_runtimes % 3, 0) << network.name << ": steps differ from each other";
  }
}

INSTANTIATE_TEST_SUITE_P(, NoAllocation, ::testing::ValuesIn(production_engines()),
                         [](const auto& test) { return std::string(test.param.name); });
// The reference allocates as it likes; without another engine in the build there is nothing to ask.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(NoAllocation);

}  // namespace
}  // namespace lockstep
