// A whole measured step, from input to optimizer, asks for no memory.
#include <gtest/gtest.h>

#include "data/pipeline/synthetic.h"
#include "engine/allocation_count.h"
#include "engine/reference/small_networks.h"
#include "support/engines.h"
#include "sync/independent.h"
#include "train/first_values.h"
#include "train/replicated.h"
#include "train/steps.h"

namespace lockstep {
namespace {

class QuietStep : public ::testing::TestWithParam<EngineRow> {};

TEST_P(QuietStep, AfterTwoStepsNothingIsAllocated) {
  if (!allocations_are_counted()) GTEST_SKIP() << "the sanitizer has its own allocator";
  const SmallNetwork network = block_networks().front();
  const auto engine = GetParam().make(network.graph, {.batch = network.batch});
  ParameterArena arena = make_arena(*engine);
  start_from_first_values(network.graph, 7, *engine, arena);
  Independent strategy(replicated_of(*engine, arena, {.name = "momentum"}));
  strategy.start();
  SyntheticSource input({.image = network.graph.shape(network.graph.image()),
                         .batch = network.batch,
                         .labels = classes_of(network.graph)});
  const Schedule schedule{.rates = {1e-6}};
  StepMeter meter(5);
  const Trainee trainee = {*engine, input, strategy, schedule, 4e-5};
  for (int64_t step = 0; step < 2; ++step) training_step(trainee, meter, step);
  const int64_t before = allocations_so_far().own;
  for (int64_t step = 2; step < 5; ++step) training_step(trainee, meter, step);
  EXPECT_EQ(allocations_so_far().own, before);
}

INSTANTIATE_TEST_SUITE_P(, QuietStep, ::testing::ValuesIn(production_engines()),
                         [](const auto& engine) { return std::string(engine.param.name); });

}  // namespace
}  // namespace lockstep
