#include "measure/gpu_presence.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/temporary_directory.h"

namespace lockstep {
namespace {

class GpuPresenceTest : public ::testing::Test {
 protected:
  void add(const std::string& path, const std::string& contents = "") {
    std::filesystem::create_directories(std::filesystem::path(root_.path(path)).parent_path());
    std::ofstream(root_.path(path)) << contents;
  }
  void add_render_node(const std::string& number, const std::string& vendor) {
    add("dev/dri/renderD" + number);
    add("sys/class/drm/renderD" + number + "/device/vendor", vendor + "\n");
  }
  TemporaryDirectory root_;
};

TEST_F(GpuPresenceTest, CountsTheDeviceFilesOfNvidiasDriver) {
  for (const char* name : {"nvidia0", "nvidia1", "nvidiactl", "nvidia-uvm", "null"}) {
    add(std::string("dev/") + name);
  }
  EXPECT_EQ(gpus_present(root_.path()).text(), "2 NVIDIA GPUs");
}

TEST_F(GpuPresenceTest, CountsTheRenderNodesOfAmdsGpus) {
  add("dev/kfd");
  add_render_node("128", "0x8086");  // the display of the host
  add_render_node("129", "0x1002");
  EXPECT_EQ(gpus_present(root_.path()).text(), "1 AMD GPU");
}

TEST_F(GpuPresenceTest, GpusOfIntelMayBeForGraphicsOnly) {
  add_render_node("128", "0x8086");
  EXPECT_EQ(gpus_present(root_.path()).text(), "1 Intel GPU");
  EXPECT_TRUE(gpus_present(root_.path()).graphics_perhaps);
}

TEST_F(GpuPresenceTest, GraphicsWithoutComputeDriversDoNotCount) {
  add_render_node("128", "0x1002");
  add_render_node("129", "0x1af4");
  EXPECT_EQ(gpus_present(root_.path()).count, 0);
  EXPECT_EQ(gpus_present(root_.path("nowhere")).count, 0);
}

}  // namespace
}  // namespace lockstep
