// What the engine measures besides training, and that each of its parts uses the device that it was
// given.
#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include "engine/torch/product_speed.h"
#include "engine/torch/torch_device_buffer.h"
#include "fake_accelerator/fake_device.h"
#include "fake_accelerator/fake_stream.h"
#include "fake_accelerator/training_on.h"

namespace lockstep {
namespace {

constexpr const char* kThird = "privateuseone:2";

int64_t synchronisations() { return fake::counters().synchronisations; }

class EntryPoint : public ::testing::Test {
 protected:
  EntryPoint() { fake::set_current_device(0); }
  ~EntryPoint() override { fake::set_current_device(0); }
};

TEST_F(EntryPoint, AnEngineMakesItsDeviceCurrent) {
  const SmallNetwork network = small_network("ConvNormReluTwice");
  const auto engine = make_torch_engine(network.graph, {.batch = network.batch, .device = kThird});
  EXPECT_EQ(fake::current_device(), 2);
}

TEST_F(EntryPoint, ABufferMakesItsDeviceCurrent) {
  const auto buffer = make_torch_device_buffer(kThird, 10);
  EXPECT_EQ(fake::current_device(), 2);
}

// Before each clock is read, the device has done what was handed to it.
TEST_F(EntryPoint, CopiesAreMeasuredFromIdleToIdleOnTheirDevice) {
  const int64_t before = synchronisations();
  const auto speeds = torch_copy_speeds(kThird);
  EXPECT_EQ(fake::current_device(), 2);
  ASSERT_EQ(speeds.size(), 3u);
  for (const auto& [what, bytes_per_second] : speeds) EXPECT_GT(bytes_per_second, 0) << what;
  constexpr int kPageable = 11;  // copies that stop the host themselves
  EXPECT_EQ(synchronisations() - before, 3 * 2 + kPageable);
}

TEST_F(EntryPoint, ProductsAreMeasuredFromIdleToIdleOnTheirDevice) {
  const int64_t before = synchronisations(), kernels_before = fake::counters().kernels;
  EXPECT_GT(torch_product_gflops(kThird, Dtype::F32), 0);
  EXPECT_EQ(fake::current_device(), 2);
  // A measurement: five products, between them two waits. A size: three of them, two matrices.
  const int64_t kernels = fake::counters().kernels - kernels_before;
  const int64_t sizes = kernels / (3 * 5 + 2);
  EXPECT_EQ(kernels, sizes * (3 * 5 + 2));
  EXPECT_EQ(synchronisations() - before, sizes * 3 * 2);
}

}  // namespace
}  // namespace lockstep
