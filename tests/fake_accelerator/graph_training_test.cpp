// Training whose steps are captured as a graph of the fake and replayed: the values and losses of
// steps that are queued one by one.
#include <gtest/gtest.h>

#include "fake_accelerator/fake_device.h"
#include "fake_accelerator/fake_stream.h"
#include "fake_accelerator/training_on.h"

namespace lockstep {
namespace {

constexpr int kSteps = 8;  // three are queued, one is captured, four are replayed

TEST(GraphTraining, FollowsQueuedStepsOnEveryKindOfNetwork) {
  for (const SmallNetwork& network : block_networks()) {
    SCOPED_TRACE(network.name);
    const OptimizerSettings optimizer = {.name = "momentum", .weight_decay = kDecay};
    Training actual(kFake, network, optimizer, {.graph = true});
    Training expected(kFake, network, optimizer);
    actual.train(kSteps);
    expected.train(kSteps);
    expect_same(actual, expected);
  }
}

TEST(GraphTraining, EveryOptimizerFollowsARateThatChanges) {
  const SmallNetwork network = small_network("ConvNormReluTwice");
  for (const std::string_view name : optimizer_names()) {
    SCOPED_TRACE(name);
    const OptimizerSettings optimizer = {.name = std::string(name), .weight_decay = kDecay};
    const Schedule schedule = {.boundaries = {1, 5}, .rates = {1e-4, 2e-5, 3e-4}};
    Training actual(kFake, network, optimizer, {.graph = true, .schedule = schedule});
    Training expected(kHost, network, optimizer, {.schedule = schedule});
    actual.train(kSteps);
    expected.train(kSteps);
    expect_same(actual, expected);
  }
}

TEST(GraphTraining, AReplayedStepIsOneLaunch) {
  Training queued(kFake, small_network("ConvNormReluTwice"), {.name = "momentum"});
  Training replayed(kFake, small_network("ConvNormReluTwice"), {.name = "momentum"},
                    {.graph = true});
  const auto kernels_of_five_steps = [](Training& training) {
    training.train(5);
    const fake::Counters before = fake::counters();
    training.train(5);
    const fake::Counters after = fake::counters();
    EXPECT_EQ(after.synchronisations, before.synchronisations);
    EXPECT_EQ(after.allocations, before.allocations);
    return after.kernels - before.kernels;
  };
  const int64_t many = kernels_of_five_steps(queued), few = kernels_of_five_steps(replayed);
  EXPECT_LE(few, 5 * 8);  // the graph, images and labels in two copies each, the rate, the report
  EXPECT_GT(many, 10 * few);
}

TEST(GraphTraining, TheStepIsOnePhase) {
  Training training(kFake, small_network("ConvNormReluTwice"), {.name = "sgd"}, {.graph = true});
  training.train(kSteps);
  training.read_losses();
  const StepRecord& record = training.meter().records()[kSteps - 2];
  EXPECT_GT(record.phase(Phase::Forward).count(), 0);
  EXPECT_EQ(record.phase(Phase::Backward).count(), 0);
}

TEST(GraphTraining, AnAutomaticLossScaleAdaptsInsideOfTheGraph) {
  const SmallNetwork network = small_network("ConvNormReluTwice");
  Training training(kFake, network, {.name = "sgd"},
                    {.dtype = Dtype::Fp16,
                     .scale = {.first = 4, .automatic = true, .steps_to_double = 2},
                     .graph = true});
  training.train(kSteps);
  EXPECT_EQ(training.loss_scale()->skipped_updates, 0);
  EXPECT_EQ(training.loss_scale()->scale, 64);
}

TEST(GraphTraining, ACheckpointOfReplayedStepsContinuesOnTheHost) {
  const SmallNetwork network = small_network("ConvNormReluTwice");
  const OptimizerSettings optimizer = {.name = "adam", .weight_decay = kDecay};
  Training begun(kFake, network, optimizer, {.graph = true});
  Training whole(kHost, network, optimizer), continued(kHost, network, optimizer);
  begun.train(kSteps);
  whole.train(kSteps + 2);
  continued.resume(begun.capture(), kSteps);
  continued.train(2);
  expect_same_values(continued, whole, 1e-4);
}

// A new optimizer has other rows: what was captured must not be launched again.
TEST(GraphTraining, ResumingCapturesAnew) {
  const SmallNetwork network = small_network("ConvNormReluTwice");
  const OptimizerSettings optimizer = {.name = "momentum", .weight_decay = kDecay};
  Training actual(kFake, network, optimizer, {.graph = true});
  Training expected(kHost, network, optimizer);
  actual.train(kSteps);
  expected.train(kSteps);
  const Checkpoint checkpoint = expected.capture();
  for (Training* training : {&actual, &expected}) {
    training->resume(checkpoint, kSteps);
    training->train(kSteps);
  }
  expect_same_values(actual, expected, 1e-4);
}

TEST(GraphTraining, AnObservedStepIsQueuedAsWithoutAGraph) {
  struct Count : OpObserver {
    void executed(int, Pass, TimePoint, TimePoint) override { ++operations; }
    int operations = 0;
  } count;
  const SmallNetwork network = small_network("ConvNormReluTwice");
  const OptimizerSettings optimizer = {.name = "momentum", .weight_decay = kDecay};
  Training actual(kFake, network, optimizer, {.graph = true}), expected(kHost, network, optimizer);
  actual.train(6);
  actual.engine().observe(&count);
  actual.train(1);
  actual.engine().observe(nullptr);
  actual.train(2);
  expected.train(9);
  EXPECT_EQ(count.operations, 2 * static_cast<int>(actual.engine().ops().size()));
  expect_same(actual, expected);
}

}  // namespace
}  // namespace lockstep
