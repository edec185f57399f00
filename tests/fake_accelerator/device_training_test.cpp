// Training with parameters in the accelerator's memory: the values, losses and checkpoints of the
// host, and a host that never holds up the device.
#include <gtest/gtest.h>

#include <latch>

#include "fake_accelerator/fake_device.h"
#include "fake_accelerator/fake_stream.h"
#include "fake_accelerator/training_on.h"

namespace lockstep {
namespace {

TEST(DeviceTraining, EveryOptimizerDoesOnTheDeviceWhatItDoesOnTheHost) {
  const SmallNetwork network = small_network("ConvNormReluTwice");
  for (const std::string_view name : optimizer_names()) {
    for (const bool clips : {false, true}) {
      SCOPED_TRACE(name);
      OptimizerSettings optimizer = {.name = std::string(name), .weight_decay = kDecay};
      if (clips) optimizer.gradient_clip = 0.2;
      Training actual(kFake, network, optimizer), expected(kHost, network, optimizer);
      actual.train(4);
      expected.train(4);
      expect_same(actual, expected);
    }
  }
}

TEST(DeviceTraining, FollowsTheHostOnEveryKindOfNetwork) {
  for (const SmallNetwork& network : block_networks()) {
    SCOPED_TRACE(network.name);
    const OptimizerSettings optimizer = {.name = "momentum", .weight_decay = kDecay};
    Training actual(kFake, network, optimizer), expected(kHost, network, optimizer);
    actual.train(3);
    expected.train(3);
    expect_same(actual, expected);
  }
}

TEST(DeviceTraining, LossesArriveOneStepLate) {
  Training training(kFake, small_network("ConvNormReluTwice"), {.name = "sgd"});
  training.train(3);
  EXPECT_EQ(training.meter().awaited(), 1);
  EXPECT_GT(training.meter().records()[1].losses.base_loss, 0);
  EXPECT_EQ(training.meter().records()[2].losses.base_loss, 0);
  training.read_losses();
  EXPECT_GT(training.meter().records()[2].losses.base_loss, 0);
}

// Whoever reads no outcome never waits for the device: batches pile up, and each goes through one
// of two buffers. Moving averages have seen all images, and values all labels. The device stands
// still while four batches are sent: two are copied, and the others wait in pinned memory when the
// next one needs the same buffer. Steps are replayed by then, if there is a graph.
TEST(DeviceTraining, ABatchOnItsWayIsNotOverwritten) {
  constexpr uint64_t kHeld = 6, kGoesOn = kHeld + 4, kSteps = 16;
  const SmallNetwork network = small_network("ConvNormReluTwice");
  struct Trained {
    std::vector<float> averages, values;
  };
  const auto trained = [&](const Where& where, bool graph) {
    Replica replica(network.graph, where.make(network.graph, {.batch = network.batch,
                                                              .device = where.device,
                                                              .parameters_on_device = true,
                                                              .graph = graph}));
    replica.fill(7);
    const auto strategy =
        find_strategy("independent")
            .make(replicated_of(replica.engine(), replica.arena(), {.name = "sgd"}), {}, {});
    strategy->start();
    std::latch go_on(1);
    for (uint64_t seed = 0; seed < kSteps; ++seed) {
      if (seed == kHeld) {
        replica.engine().outcome(0);
        fake::current_stream(0).queue_kernel([&] { go_on.wait(); });
      }
      if (seed == kGoesOn) go_on.count_down();
      const Examples examples = random_examples(network.graph, network.batch, seed);
      strategy->begin_step(1e-3);
      replica.engine().start_forward(examples.batch());
      replica.engine().backward([&](ParameterId id) { strategy->gradient_ready(id); });
      strategy->finish_step();
    }
    Trained all = {.averages = {},
                   .values = std::vector<float>(static_cast<size_t>(replica.arena().floats()))};
    strategy->newest_values(all.values);
    for (const StateInfo& state : replica.engine().state()) {
      all.averages.insert(all.averages.end(), state.values.begin(), state.values.end());
    }
    return all;
  };
  const Trained expected = trained(kHost, false);
  for (const bool graph : {false, true}) {
    SCOPED_TRACE(graph);
    const Trained actual = trained(kFake, graph);
    EXPECT_LE(distance(actual.averages, expected.averages), 1e-4 * norm(expected.averages));
    EXPECT_LE(distance(actual.values, expected.values), 1e-4 * norm(expected.values));
  }
}

TEST(DeviceTraining, ATimedStepNeitherSynchronisesNorAllocates) {
  for (const SmallNetwork& network : block_networks()) {
    Training training(kFake, network, {.name = "momentum", .weight_decay = kDecay});
    training.train(3);
    const fake::Counters before = fake::counters();
    training.train(5);
    const fake::Counters after = fake::counters();
    EXPECT_GT(after.kernels, before.kernels);
    EXPECT_EQ(after.synchronisations, before.synchronisations) << network.name;
    EXPECT_EQ(after.allocations, before.allocations) << network.name;
  }
}

TEST(DeviceTraining, PhasesOfAStepAddUpToItsDuration) {
  Training training(kFake, small_network("ConvNormReluTwice"), {.name = "sgd"});
  training.train(4);
  training.read_losses();
  const StepRecord& record = training.meter().records()[1];
  Seconds sum{};
  for (const Seconds phase : record.phases) {
    EXPECT_GE(phase.count(), 0);
    sum += phase;
  }
  EXPECT_NEAR(sum.count(), record.duration.count(), 1e-9);
  EXPECT_GT(record.phase(Phase::Forward).count(), 0);
  EXPECT_GT(record.phase(Phase::Backward).count(), 0);
}

TEST(DeviceTraining, CheckpointsContinueOnTheOtherSide) {
  const SmallNetwork network = small_network("ConvNormReluTwice");
  const OptimizerSettings optimizer = {.name = "rmsprop", .weight_decay = kDecay};
  for (const auto& [first, second] : {std::pair{kFake, kHost}, {kHost, kFake}, {kFake, kFake}}) {
    SCOPED_TRACE(fmt::format("from {} to {}", first.name, second.name));
    Training whole(kHost, network, optimizer), begun(first, network, optimizer);
    whole.train(5);
    begun.train(3);
    Training continued(second, network, optimizer);
    continued.resume(begun.capture(), 3);
    continued.train(2);
    for (ParameterId id = 0; id < whole.parameters(); ++id) {
      const std::vector<float> truth = whole.plain(id);
      EXPECT_LE(distance(continued.plain(id), truth), 1e-4 * norm(truth) + 1e-6) << id;
    }
  }
}

// Eleven and eight bits of mantissa. `moved`: part of how far training has moved a parameter;
// `floor`: of those that move by rounding errors only, as a bias in front of a normalisation.
constexpr struct {
  Dtype dtype;
  double first_loss, moved, floor;
} kSixteenBits[] = {{Dtype::Fp16, 5e-3, 0.1, 2e-5}, {Dtype::Bf16, 4e-2, 0.5, 1e-4}};

TEST(DeviceTraining, SixteenBitsFollowTheHostOnEveryKindOfNetwork) {
  constexpr int kSteps = 2;  // the second begins with what the first has made; more amplify errors
  const OptimizerSettings optimizer = {.name = "momentum", .weight_decay = kDecay};
  for (const SmallNetwork& network : block_networks()) {
    Training first(kHost, network, optimizer), expected(kHost, network, optimizer);
    expected.train(kSteps);
    const double loss = expected.meter().records()[0].losses.base_loss;
    for (const auto& [dtype, first_loss, moved, floor] : kSixteenBits) {
      for (const bool on_device : {true, false}) {
        SCOPED_TRACE(fmt::format("{} in {}, values {}", network.name, name_of(dtype),
                                 on_device ? "there" : "in the arena"));
        Training actual(kFake, network, optimizer, {.dtype = dtype, .on_device = on_device});
        actual.train(kSteps);
        actual.read_losses();
        EXPECT_NEAR(actual.meter().records()[0].losses.base_loss, loss, first_loss * loss);
        for (ParameterId id = 0; id < expected.parameters(); ++id) {
          const std::vector<float> truth = expected.plain(id);
          EXPECT_LE(distance(actual.plain(id), truth),
                    moved * distance(truth, first.plain(id)) + floor)
              << "parameter " << id;
        }
      }
    }
  }
}

TEST(DeviceTraining, AFixedLossScaleLeavesNoTrace) {
  const SmallNetwork network = small_network("ConvNormReluTwice");
  const OptimizerSettings optimizer = {.name = "momentum", .weight_decay = kDecay};
  for (const bool on_device : {true, false}) {
    Training plain(kFake, network, optimizer, {.on_device = on_device});
    Training scaled(kFake, network, optimizer, {.scale = {.first = 1024}, .on_device = on_device});
    plain.train(3);
    scaled.train(3);
    expect_same_values(scaled, plain, 1e-6);
    EXPECT_EQ(scaled.meter().records()[1].losses.base_loss,
              plain.meter().records()[1].losses.base_loss);
  }
}

TEST(DeviceTraining, AnOverflowSkipsTheUpdateAndHalvesTheLossScale) {
  const SmallNetwork network = small_network("ConvNormReluTwice");
  for (const std::string_view name : optimizer_names()) {
    SCOPED_TRACE(name);
    const OptimizerSettings optimizer = {.name = std::string(name)};
    Training training(kFake, network, optimizer,
                      {.dtype = Dtype::Fp16, .scale = {.first = 0x1p30, .automatic = true}});
    const std::vector<float> before = training.plain(0);
    training.train(2);
    EXPECT_EQ(training.plain(0), before);
    EXPECT_EQ(training.loss_scale()->skipped_updates, 2);
    EXPECT_EQ(training.loss_scale()->scale, 0x1p28);
  }
}

TEST(DeviceTraining, TheLossScaleDoublesAfterStepsWithoutOverflow) {
  Training training(
      kFake, small_network("ConvNormReluTwice"), {.name = "sgd"},
      {.dtype = Dtype::Fp16, .scale = {.first = 4, .automatic = true, .steps_to_double = 2}});
  training.train(5);
  EXPECT_EQ(training.loss_scale()->skipped_updates, 0);
  EXPECT_EQ(training.loss_scale()->scale, 16);
}

TEST(DeviceTraining, ACheckpointKeepsTheLossScale) {
  const SmallNetwork network = small_network("ConvNormReluTwice");
  const Format format = {.dtype = Dtype::Fp16,
                         .scale = {.first = 4, .automatic = true, .steps_to_double = 2}};
  Training begun(kFake, network, {.name = "sgd"}, format);
  begun.train(3);  // one doubling, and one step towards the next
  Training continued(kFake, network, {.name = "sgd"}, format);
  continued.resume(begun.capture(), 3);
  EXPECT_EQ(continued.loss_scale()->scale, 8);
  continued.train(1);
  EXPECT_EQ(continued.loss_scale()->scale, 16);
}

TEST(DeviceTraining, AnAutomaticLossScaleTrainsAsAFixedOneDoes) {
  const SmallNetwork network = small_network("ConvNormReluTwice");
  for (const std::string_view name : optimizer_names()) {
    SCOPED_TRACE(name);
    const OptimizerSettings optimizer = {.name = std::string(name), .weight_decay = kDecay};
    Training automatic(kFake, network, optimizer,
                       {.dtype = Dtype::Fp16, .scale = {.first = 128, .automatic = true}});
    Training fixed(kFake, network, optimizer, {.dtype = Dtype::Fp16, .scale = {.first = 128}});
    automatic.train(4);
    fixed.train(4);
    expect_same_values(automatic, fixed, 1e-5);
  }
}

TEST(DeviceTraining, AStepInSixteenBitsNeitherSynchronisesNorAllocates) {
  Training training(kFake, small_network("ConvNormReluTwice"), {.name = "momentum"},
                    {.dtype = Dtype::Fp16, .scale = {.first = 128, .automatic = true}});
  training.train(3);
  const fake::Counters before = fake::counters();
  training.train(5);
  const fake::Counters after = fake::counters();
  EXPECT_EQ(after.synchronisations, before.synchronisations);
  EXPECT_EQ(after.allocations, before.allocations);
}

}  // namespace
}  // namespace lockstep
