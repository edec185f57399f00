#include "measure/gpu_presence.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/temporary_directory.h"

namespace lockstep {
namespace {

class GpuPresenceTest : public ::testing::Test {
 protected:
  void add(const std::string& name) {
    std::filesystem::create_directories(std::filesystem::path(devices_.path(name)).parent_path());
    std::ofstream(devices_.path(name)) << "";
  }
  TemporaryDirectory devices_;
};

TEST_F(GpuPresenceTest, CountsTheDeviceFilesOfNvidiasDriver) {
  for (const char* name : {"nvidia0", "nvidia1", "nvidiactl", "nvidia-uvm", "null"}) add(name);
  EXPECT_EQ(gpus_present(devices_.path()).text(), "2 NVIDIA GPUs");
}

TEST_F(GpuPresenceTest, CountsTheDeviceFilesOfAmdsDriver) {
  for (const char* name : {"kfd", "dri/card0", "dri/renderD128"}) add(name);
  EXPECT_EQ(gpus_present(devices_.path()).text(), "1 AMD GPU");
}

TEST_F(GpuPresenceTest, GraphicsWithoutComputeDriversDoNotCount) {
  add("dri/renderD128");
  EXPECT_EQ(gpus_present(devices_.path()).count, 0);
  EXPECT_EQ(gpus_present(devices_.path("nowhere")).count, 0);
}

}  // namespace
}  // namespace lockstep
