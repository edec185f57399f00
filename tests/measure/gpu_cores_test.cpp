// Machines are hwloc's synthetic ones: "pack:2 [numa] core:4 pu:2" has two NUMA nodes with four
// cores of two hardware threads each, numbered in order.
#include "measure/gpu_cores.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <numeric>

#include "support/temporary_directory.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const CoreMachine kTwoNodes = {"pack:2 [numa] core:4 pu:2"};

CoreSet all_cores() {
  CoreSet cores(16);
  std::iota(cores.begin(), cores.end(), 0);
  return cores;
}

std::vector<CoreSet> near(const CoreSet& cores, std::vector<std::optional<int>> nodes) {
  return cores_near_gpus(cores, nodes, kTwoNodes);
}

TEST(GpuCores, AreThoseOfTheGpusNode) {
  EXPECT_EQ(cores_of_numa_node(all_cores(), 1, kTwoNodes), (CoreSet{8, 9, 10, 11, 12, 13, 14, 15}));
  EXPECT_THAT(near(all_cores(), {1, 0}),
              ElementsAre(CoreSet{8, 9, 10, 11, 12, 13, 14, 15}, CoreSet{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(GpuCores, AreSharedByWorkersOfOneNode) {
  EXPECT_THAT(near(all_cores(), {0, 1, 0, 1}),
              ElementsAre(CoreSet{0, 1, 2, 3}, CoreSet{8, 9, 10, 11}, CoreSet{4, 5, 6, 7},
                          CoreSet{12, 13, 14, 15}));
}

TEST(GpuCores, OneWorkerLeavesTheOtherNodeAlone) {
  EXPECT_THAT(near(all_cores(), {1}), ElementsAre(CoreSet{8, 9, 10, 11, 12, 13, 14, 15}));
}

TEST(GpuCores, StayWithinWhatAProcessMayUse) {
  EXPECT_THAT(near({0, 1, 8, 9}, {1, 0}), ElementsAre(CoreSet{8, 9}, CoreSet{0, 1}));
}

TEST(GpuCores, AreUnknownWhenANodeIsUnknownOrHasNone) {
  EXPECT_THAT(near(all_cores(), {0, std::nullopt}), IsEmpty());
  EXPECT_THAT(near({0, 1, 2, 3}, {1}), IsEmpty()) << "bound to the other node by somebody";
  EXPECT_THAT(near({0}, {0, 0}), IsEmpty()) << "fewer cores than workers";
  EXPECT_THAT(near(all_cores(), {7}), IsEmpty()) << "no such node";
}

TEST(GpuCores, TheNodeOfAPciDeviceIsWhatTheSystemSays) {
  const TemporaryDirectory root;
  const fs::path devices = root.path() / "sys/bus/pci/devices";
  fs::create_directories(devices / "0000:65:00.0");
  fs::create_directories(devices / "0000:66:00.0");
  std::ofstream(devices / "0000:65:00.0/numa_node") << "1\n";
  std::ofstream(devices / "0000:66:00.0/numa_node") << "-1\n";
  EXPECT_EQ(numa_node_of("0000:65:00.0", root.path()), 1);
  EXPECT_EQ(numa_node_of("0000:66:00.0", root.path()), std::nullopt) << "one node, or no word";
  EXPECT_EQ(numa_node_of("0000:67:00.0", root.path()), std::nullopt);
}

}  // namespace
}  // namespace lockstep
