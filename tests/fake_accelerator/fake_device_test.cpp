// The fake accelerator notices what hardware does not report: reads by the host, memory without
// contents, streams that do not wait for each other.
#include "fake_accelerator/fake_device.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <gtest/gtest.h>

#include <cmath>
#include <latch>

#include "fake_accelerator/fake_queue.h"

namespace lockstep::fake {
namespace {

const at::Device kDevice(at::kPrivateUse1, 0);

c10::impl::VirtualGuardImpl guard() { return c10::impl::VirtualGuardImpl(at::kPrivateUse1); }
c10::Stream default_stream() { return guard().getDefaultStream(kDevice); }

float number_in(const at::Tensor& tensor) { return tensor.cpu().item<float>(); }

// A stream whose next task waits until the test opens it.
class Gate {
 public:
  explicit Gate(const c10::Stream& stream) {
    static_cast<FakeQueue*>(stream.native_handle())->queue_kernel([this] { open_.wait(); });
  }
  void open() { open_.count_down(); }

 private:
  std::latch open_{1};
};

TEST(FakeMemory, CannotBeReadByTheHost) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const at::Tensor tensor = at::full({1}, 3.0, kDevice);
  EXPECT_EQ(number_in(tensor), 3);
  EXPECT_DEATH(
      {
        const volatile float read = *static_cast<const float*>(tensor.const_data_ptr());
        static_cast<void>(read);
      },
      "");
}

TEST(FakeMemory, IsNanBeforeItHasContents) {
  EXPECT_TRUE(std::isnan(number_in(at::empty({1}, kDevice))));
  const at::Tensor pinned = at::empty({1}, at::TensorOptions().pinned_memory(true));
  EXPECT_TRUE(pinned.is_pinned());
  EXPECT_TRUE(std::isnan(pinned.item<float>()));
}

TEST(FakeMemory, IsNanForAStreamThatUsesItAfterItWasFreed) {
  for (const bool told : {false, true}) {
    const c10::Stream side = guard().getNewStream(kDevice);
    at::Tensor tensor = at::full({1}, 3.0, kDevice);
    default_stream().synchronize();
    Gate gate(side);
    at::Tensor sum;
    {
      const c10::StreamGuard on_side(side);
      sum = tensor.add(1);
    }
    if (told) guard().recordDataPtrOnStream(tensor.storage().data_ptr(), side);
    tensor.reset();
    if (!told) default_stream().synchronize();
    gate.open();
    side.synchronize();
    EXPECT_EQ(std::isnan(number_in(sum)), !told);
  }
}

TEST(FakeStreams, DoNotWaitForEachOtherWithoutAnEvent) {
  for (const bool waits : {false, true}) {
    const c10::Stream side = guard().getNewStream(kDevice);
    const at::Tensor tensor = at::empty({1}, kDevice);
    Gate gate(default_stream());
    tensor.fill_(3);
    c10::Event filled(at::kPrivateUse1);
    filled.record(default_stream());
    if (waits) filled.block(side);
    at::Tensor sum;
    {
      const c10::StreamGuard on_side(side);
      sum = tensor.add(1);
    }
    if (!waits) side.synchronize();
    EXPECT_FALSE(filled.query());
    gate.open();
    side.synchronize();
    default_stream().synchronize();
    EXPECT_EQ(std::isnan(number_in(sum)), !waits);
  }
}

TEST(FakeStreams, CopyToPinnedMemoryWhileTheHostGoesOn) {
  const at::Tensor pinned = at::empty({1}, at::TensorOptions().pinned_memory(true));
  const at::Tensor tensor = at::full({1}, 3.0, kDevice);
  const int64_t before = counters().synchronisations;
  Gate gate(default_stream());
  pinned.copy_(tensor, /*non_blocking=*/true);
  EXPECT_TRUE(std::isnan(pinned.item<float>()));
  EXPECT_EQ(counters().synchronisations, before);
  gate.open();
  default_stream().synchronize();
  EXPECT_EQ(pinned.item<float>(), 3);
  EXPECT_EQ(counters().synchronisations, before + 1);
}

TEST(FakeStreams, WaitForCopiesToOtherMemory) {
  const at::Tensor tensor = at::full({1}, 3.0, kDevice);
  const int64_t before = counters().synchronisations;
  EXPECT_EQ(number_in(tensor), 3);
  EXPECT_GT(counters().synchronisations, before);
}

TEST(FakeFaults, OutOfMemoryIsReportedToWhoeverAllocates) {
  limit_memory(memory_in_use() + (1 << 20));
  EXPECT_ANY_THROW(at::empty({1 << 20}, kDevice));
  limit_memory(0);
  EXPECT_NO_THROW(at::empty({1 << 20}, kDevice));
}

TEST(FakeFaults, AFaultStaysForAllCallsThatFollow) {
  const at::Tensor tensor = at::full({1}, 3.0, kDevice);
  fail_after(1, "the device fell off the bus");
  EXPECT_NO_THROW(tensor.fill_(4));
  EXPECT_ANY_THROW(tensor.fill_(5));
  EXPECT_ANY_THROW(default_stream().synchronize());
  EXPECT_ANY_THROW(at::empty({1}, kDevice));
  recover();
  EXPECT_EQ(number_in(tensor), 4);
}

}  // namespace
}  // namespace lockstep::fake
