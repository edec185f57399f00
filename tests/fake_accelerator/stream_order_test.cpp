// One stream waits for another where it must: each test holds up one of them, and looks whether the
// other, or the host, has run ahead.
#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <atomic>

#include "engine/torch/torch_device_buffer.h"
#include "fake_accelerator/hold_up.h"
#include "fake_accelerator/training_on.h"
#include "fake_accelerator/twins.h"

namespace lockstep {
namespace {

SmallNetwork network() { return small_network("ConvNormReluTwice"); }
const OptimizerSettings kMomentum = {.name = "momentum", .weight_decay = kDecay};

DeviceParameters& parameters_of(Training& training) {
  return *training.engine().device_parameters();
}

TEST(StreamOrder, UpdatesWaitForTheSumOfTheirBucket) {
  Twins twins;
  Training actual(kFake, network(), kMomentum, {.devices = &twins});
  Training expected(kHost, network(), kMomentum);
  actual.train(2);
  const StepOutcome outcome = actual.engine().outcome(0);
  EXPECT_GT(outcome.device->communication.count(), 0);
  expected.start_with_doubled_values();
  expected.train(2);
  expect_same_values(actual, expected, 1e-4);
}

TEST(StreamOrder, TheSumOfSquaresIsOfTheValuesThatArrived) {
  for (const Dtype dtype : {Dtype::F32, Dtype::Fp16}) {
    Twins twins;
    Training training(kFake, network(), kMomentum, {.dtype = dtype, .devices = &twins});
    double expected = 0;
    for (ParameterId id = 0; id < training.parameters(); ++id) {
      const bool decays = training.engine().parameters()[static_cast<size_t>(id)].decays;
      if (decays) expected += std::pow(norm(training.plain(id)), 2);
    }
    training.train(1);
    EXPECT_NEAR(training.engine().outcome(0).sum_of_squares, expected, 1e-4 * expected);
  }
}

TEST(StreamOrder, AnAutomaticLossScaleWaitsForAllSums) {
  Twins twins;
  const LossScale scale = {.first = 128, .automatic = true};
  Training automatic(kFake, network(), kMomentum,
                     {.dtype = Dtype::Fp16, .scale = scale, .devices = &twins});
  Training fixed(kFake, network(), kMomentum,
                 {.dtype = Dtype::Fp16, .scale = {.first = 128}, .devices = &twins});
  automatic.train(2);
  fixed.train(2);
  expect_same_values(automatic, fixed, 1e-5);
}

TEST(StreamOrder, AnOutcomeComesWhenTheUpdatesAreMade) {
  Training training(kFake, network(), kMomentum);
  training.train(2);
  std::atomic<bool> updated = false;
  hold_up(queue_of(parameters_of(training).update_stream()), [&] { updated = true; });
  training.train(1);
  EXPECT_TRUE(training.engine().outcome(0).device->updates);
  EXPECT_TRUE(updated);
}

TEST(StreamOrder, WaitReturnsWhenBothStreamsAreDone) {
  Training training(kFake, network(), kMomentum);
  training.train(1);
  for (fake::FakeQueue* queue :
       {&queue_of(parameters_of(training).update_stream()), &engines_queue()}) {
    std::atomic<bool> done = false;
    hold_up(*queue, [&] { done = true; });
    parameters_of(training).wait();
    EXPECT_TRUE(done);
  }
}

// As when an exception ends a step: nobody has waited for the updates that are queued.
void queue_a_late_update(Training& training) {
  DeviceParameters& parameters = parameters_of(training);
  hold_up(queue_of(parameters.update_stream()));
  parameters.take_gradients();
  parameters.update(0, parameters.layout().floats());
}

TEST(StreamOrder, MemoryOfAnEngineIsNotFreeBeforeItsUpdatesAreMade) {
  auto training = std::make_unique<Training>(kFake, network(), kMomentum);
  training->train(2);
  const int64_t floats = parameters_of(*training).layout().floats();
  queue_a_late_update(*training);
  training.reset();
  std::vector<at::Tensor> next;
  for (int i = 0; i < 8; ++i) {
    next.push_back(at::ones({floats}, at::TensorOptions(at::Device("privateuseone:0"))));
  }
  hold_up(engines_queue());  // until that update is made
  hold_up(engines_queue());
  for (const at::Tensor& tensor : next) {
    EXPECT_TRUE(tensor.cpu().eq(1).all().item<bool>());
  }
}

TEST(StreamOrder, ANewOptimizerBeginsWithRowsOfItsOwn) {
  Training training(kFake, network(), kMomentum);
  training.train(2);
  DeviceParameters& parameters = parameters_of(training);
  queue_a_late_update(training);
  parameters.set_optimizer(kMomentum, {});
  std::vector<float> row(static_cast<size_t>(parameters.layout().floats()), 1.0f);
  parameters.read_row("momentum", row);
  EXPECT_EQ(norm(row), 0);
}

TEST(StreamOrder, ARowIsReadAfterTheUpdatesThatAreQueued) {
  Training training(kFake, network(), kMomentum);
  training.train(2);
  DeviceParameters& parameters = parameters_of(training);
  queue_a_late_update(training);
  std::vector<float> row(static_cast<size_t>(parameters.layout().floats())), later = row;
  parameters.read_row("values", row);
  parameters.wait();
  parameters.read_row("values", later);
  EXPECT_EQ(row, later);
}

// Else a rank that dies meanwhile would leave the others waiting.
TEST(StreamOrder, TheCommunicatorIsAskedWhileALossScaleIsAwaited) {
  Twins twins;
  Training training(
      kFake, network(), kMomentum,
      {.dtype = Dtype::Fp16, .scale = {.first = 128, .automatic = true}, .devices = &twins});
  training.train(2);
  const int asked = twins.checks();
  EXPECT_TRUE(training.loss_scale());
  EXPECT_GT(twins.checks(), asked);
}

TEST(StreamOrder, AGraphIsNotDestroyedWhileItRuns) {
  Training training(kFake, network(), kMomentum, {.graph = true});
  training.train(6);
  hold_up(engines_queue());
  training.train(1);
  training.engine().device_parameters()->set_optimizer(kMomentum, {});
  EXPECT_NO_THROW(training.train(5));
}

TEST(StreamOrder, AnObservedOperationIsDoneWhenItIsReported) {
  struct Observer : OpObserver {
    explicit Observer(fake::FakeStream& queue) : stream(queue) {}
    void executed(int, Pass, TimePoint, TimePoint) override { early += stream.idle() ? 0 : 1; }
    fake::FakeStream& stream;
    int early = 0;
  } observer(fake::current_stream(0));
  Training training(kFake, network(), kMomentum);
  training.train(1);
  training.engine().observe(&observer);
  training.train(3);
  training.engine().observe(nullptr);
  EXPECT_EQ(observer.early, 0);
}

class BufferOrder : public ::testing::Test {
 protected:
  static constexpr size_t kFloats = 100;
  std::unique_ptr<DeviceBuffer> made() {
    return make_torch_device_buffer("privateuseone", kFloats);
  }
  static void add_one_late(DeviceBuffer& buffer) {
    auto* const floats =
        static_cast<float*>(queue_of(buffer.stream()).memory_of(buffer.row().address()));
    hold_up(queue_of(buffer.stream()), [floats] {
      for (size_t i = 0; i < kFloats; ++i) floats[i] += 1;
    });
  }
  static std::vector<float> contents_of(DeviceBuffer& buffer) {
    std::vector<float> floats(kFloats);
    buffer.read(floats);
    return floats;
  }
};

TEST_F(BufferOrder, ZerosAreWrittenBeforeOtherContents) {
  hold_up(engines_queue());
  const auto buffer = made();
  buffer->write(std::vector<float>(kFloats, 3));
  hold_up(engines_queue());
  fake::current_stream(0).wait_until_idle();
  EXPECT_EQ(contents_of(*buffer), std::vector<float>(kFloats, 3));
}

TEST_F(BufferOrder, ReadsAndWritesTakeTheirTurnOnItsStream) {
  const auto buffer = made();
  add_one_late(*buffer);
  EXPECT_EQ(contents_of(*buffer), std::vector<float>(kFloats, 1));
  add_one_late(*buffer);
  buffer->write(std::vector<float>(kFloats, 5));
  buffer->wait({});
  EXPECT_EQ(contents_of(*buffer), std::vector<float>(kFloats, 5));
}

TEST_F(BufferOrder, WaitReturnsWhenItsStreamIsDone) {
  const auto buffer = made();
  std::atomic<bool> done = false;
  hold_up(queue_of(buffer->stream()), [&] { done = true; });
  buffer->wait({});
  EXPECT_TRUE(done);
}

}  // namespace
}  // namespace lockstep
