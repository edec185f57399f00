// A measured step asks for no memory: an allocation costs time that belongs to nobody, takes locks
// and makes steps differ from each other.
#include <gtest/gtest.h>

#include <cstdlib>

#include "engine/allocation_count.h"
#include "support/engines.h"
#include "support/small_networks.h"
#include "tensor/memory.h"

namespace lockstep {
namespace {

TEST(AllocationCount, SeesEveryKindOfRequest) {
  if (!allocations_are_counted()) GTEST_SKIP() << "the sanitizer has its own allocator";
  const int64_t before = allocations_so_far();
  void* volatile block = std::malloc(10);
  EXPECT_EQ(allocations_so_far(), before + 1);
  std::free(block);
  auto volatile object = std::make_unique<int>(3).release();
  EXPECT_EQ(allocations_so_far(), before + 2);
  std::unique_ptr<int> owned(object);
  const Memory memory(1 << 20);
  EXPECT_EQ(allocations_so_far(), before + 3);
}

class NoAllocation : public ::testing::TestWithParam<EngineRow> {};

TEST_P(NoAllocation, AfterTwoStepsTrainingAsksForNoMemory) {
  if (!allocations_are_counted()) GTEST_SKIP() << "the sanitizer has its own allocator";
  for (const SmallNetwork& network : block_networks()) {
    for (const int threads : {1, 2}) {
      Replica replica =
          make_replica(GetParam(), network.graph, {.batch = network.batch, .threads = threads});
      replica.fill(7);
      const Examples examples = random_examples(network.graph, network.batch, 7);
      for (int step = 0; step < 2; ++step) replica.train(examples.batch(), 0.01);
      const int64_t before = allocations_so_far();
      for (int step = 0; step < 3; ++step) replica.train(examples.batch(), 0.01);
      EXPECT_EQ(allocations_so_far() - before, 0) << network.name << ", " << threads << " threads";
    }
  }
}

TEST_P(NoAllocation, AfterTwoStepsInferenceAsksForNoMemory) {
  if (!allocations_are_counted()) GTEST_SKIP() << "the sanitizer has its own allocator";
  for (const SmallNetwork& network : block_networks()) {
    Replica replica =
        make_replica(GetParam(), network.graph, {.batch = network.batch, .mode = Mode::Inference});
    replica.fill(7);
    const Examples examples = random_examples(network.graph, network.batch, 7);
    for (int step = 0; step < 2; ++step) replica.engine().forward(examples.batch());
    const int64_t before = allocations_so_far();
    for (int step = 0; step < 3; ++step) replica.engine().forward(examples.batch());
    EXPECT_EQ(allocations_so_far() - before, 0) << network.name;
  }
}

INSTANTIATE_TEST_SUITE_P(, NoAllocation, ::testing::ValuesIn(production_engines()),
                         [](const auto& test) { return std::string(test.param.name); });
// The reference allocates as it likes; without another engine in the build there is nothing to ask.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(NoAllocation);

}  // namespace
}  // namespace lockstep
