// Training with parameters in host memory: values and gradients travel through pinned memory, and
// each copy waits for what it must, and nothing else does.
#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <latch>

#include "fake_accelerator/fake_device.h"
#include "fake_accelerator/hold_up.h"
#include "fake_accelerator/training_on.h"

namespace lockstep {
namespace {

const OptimizerSettings kMomentum = {.name = "momentum", .weight_decay = kDecay};

class HostParameters : public ::testing::Test {
 protected:
  ~HostParameters() override { fake::slow_copies({}); }

  static void copies_take_long() { fake::slow_copies(std::chrono::milliseconds(20)); }
  std::unique_ptr<Replica> replica() const {
    return std::make_unique<Replica>(
        network_.graph,
        make_torch_engine(network_.graph, {.batch = network_.batch, .device = kFake.device}));
  }
  // Of a forward with these values that nothing holds up.
  float loss_of(uint64_t values) const {
    const auto quiet = replica();
    quiet->fill(values);
    return quiet->engine().forward(examples_.batch()).loss;
  }

  const SmallNetwork network_ = small_network("ConvNormReluTwice");
  const Examples examples_ = random_examples(network_.graph, network_.batch, 5);
};

TEST_F(HostParameters, FollowTheHost) {
  for (const SmallNetwork& network : block_networks()) {
    SCOPED_TRACE(network.name);
    Training actual(kFake, network, kMomentum, {.on_device = false});
    Training expected(kHost, network, kMomentum);
    actual.train(3);
    expected.train(3);
    expect_same(actual, expected);
  }
}

TEST_F(HostParameters, AForwardWaitsForTheValuesThatAreOnTheirWay) {
  const auto slow = replica();
  slow->fill(1);
  slow->engine().forward(examples_.batch());
  copies_take_long();
  slow->fill(2);
  EXPECT_EQ(slow->engine().forward(examples_.batch()).loss, loss_of(2));
}

TEST_F(HostParameters, ValuesOnTheirWayAreNotOverwritten) {
  const float expected = loss_of(1);
  const auto slow = replica();
  copies_take_long();
  slow->fill(1);
  slow->engine().start_forward(examples_.batch());
  slow->fill(2);
  EXPECT_EQ(slow->engine().outcome(0).loss, expected);
}

TEST_F(HostParameters, NewValuesArriveAfterAForwardHasReadTheOldOnes) {
  const float expected = loss_of(1);
  const auto slow = replica();
  slow->fill(1);
  slow->engine().forward(examples_.batch());
  hold_up(engines_queue());
  slow->engine().start_forward(examples_.batch());
  slow->fill(2);
  EXPECT_EQ(slow->engine().outcome(0).loss, expected);
}

TEST_F(HostParameters, MemoryOfAnEngineIsNotFreeBeforeItsValuesHaveArrived) {
  auto slow = replica();
  const auto bytes_before = fake::memory_in_use();
  slow->fill(1);
  copies_take_long();
  slow->fill(2);
  std::vector<int64_t> sizes;
  for (const ParameterInfo& info : slow->engine().parameters()) sizes.push_back(info.stored_floats);
  slow.reset();
  EXPECT_LT(fake::memory_in_use(), bytes_before);
  std::vector<at::Tensor> next;
  for (const int64_t floats : sizes) {
    next.push_back(at::ones({floats}, at::TensorOptions(at::Device("privateuseone:0"))));
  }
  for (size_t i = 0; i < 2 * sizes.size(); ++i) hold_up(engines_queue());  // until all has arrived
  for (const at::Tensor& tensor : next) EXPECT_TRUE(tensor.cpu().eq(1).all().item<bool>());
}

// It waits for each gradient, and for nothing else.
TEST_F(HostParameters, ValuesDoNotStopTheHost) {
  Training training(kFake, network_, kMomentum, {.on_device = false});
  training.train(3);
  const fake::Counters before = fake::counters();
  constexpr int kSteps = 5;
  training.train(kSteps);
  const fake::Counters after = fake::counters();
  EXPECT_EQ(after.synchronisations - before.synchronisations, kSteps * training.parameters());
  EXPECT_EQ(after.allocations, before.allocations);
}

// The device is held up in the layers below, when the first gradient is known. Its value is sent
// twice: the second time when the first copy is done.
TEST_F(HostParameters, ValuesTravelWhileBackwardIsBusy) {
  const auto held = replica();
  held->fill(1);
  held->engine().forward(examples_.batch());
  std::latch go_on(1);
  bool first = true;
  held->engine().backward([&](ParameterId id) {
    if (!std::exchange(first, false)) return;
    engines_queue().queue_kernel([&] { go_on.wait(); });
    for (int i = 0; i < 2; ++i) held->engine().values_changed(id);
    go_on.count_down();
  });
  EXPECT_FALSE(first);
  fake::current_stream(0).wait_until_idle();  // which may not have begun to wait for the latch
}

}  // namespace
}  // namespace lockstep
