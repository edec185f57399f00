// The strategy of replicas on accelerators: what its begin and end wait for.
#include "sync/device_replicated.h"

#include <gtest/gtest.h>

#include <optional>

#include "fake_accelerator/training_on.h"
#include "fake_accelerator/twins.h"

namespace lockstep {
namespace {

class DeviceReplicatedOrder : public ::testing::Test {
 protected:
  Replicated replicated() {
    return replicated_of(replica_.engine(), replica_.arena(),
                         {.name = "momentum", .weight_decay = kDecay});
  }
  std::unique_ptr<Strategy> made() {
    return std::make_unique<DeviceReplicated>(replicated(), &twins_, SyncOptions{});
  }
  StepOutcome forward() { return replica_.engine().forward(examples_.batch()); }

  const SmallNetwork network_ = small_network("ConvNormReluTwice");
  const Examples examples_ = random_examples(network_.graph, network_.batch, 5);
  Replica replica_{network_.graph,
                   make_torch_engine(network_.graph, {.batch = network_.batch,
                                                      .device = kFake.device,
                                                      .parameters_on_device = true})};
  Twins twins_;
};

TEST_F(DeviceReplicatedOrder, BeginsWhenTheEngineIsReady) {
  replica_.fill(1);
  double expected = 0;
  for (ParameterId id = 0; id < replica_.parameter_count(); ++id) {
    const bool decays = replica_.engine().parameters()[static_cast<size_t>(id)].decays;
    if (decays) expected += std::pow(2 * norm(replica_.plain_values(id)), 2);
  }
  for (int i = 0; i < 5; ++i) hold_up(engines_queue());  // there, which values decay is written
  const auto strategy = made();
  strategy->start();
  EXPECT_NEAR(forward().sum_of_squares, expected, 1e-4 * expected);
}

TEST_F(DeviceReplicatedOrder, FinishReturnsWhenUpdatesAreMade) {
  const auto strategy = made();
  strategy->start();
  std::atomic<bool> updated = false;
  hold_up(queue_of(replica_.engine().device_parameters()->update_stream()),
          [&] { updated = true; });
  strategy->finish();
  EXPECT_TRUE(updated);
}

TEST_F(DeviceReplicatedOrder, TheCommunicatorIsAskedWhileTheHostWaitsForAsLongAsItIsThere) {
  std::optional<DeviceReplicated> strategy;  // whose memory stays when it is gone
  strategy.emplace(replicated(), &twins_, SyncOptions{});
  strategy->start();
  forward();
  const int asked = twins_.checks();
  EXPECT_GT(asked, 0);
  strategy.reset();
  forward();
  EXPECT_EQ(twins_.checks(), asked);
}

}  // namespace
}  // namespace lockstep
