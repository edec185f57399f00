#include "measure/gpu.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

#include "measure/gpu_watch.h"
#include "measure/nvml.h"
#include "support/paths.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The library of a driver with these GPUs.
class Gpus : public ::testing::Test {
 protected:
  std::unique_ptr<GpuLibrary> with(const std::string& description) {
    const std::string file = directory_.path("gpus");
    std::ofstream(file) << description;
    setenv("FAKE_NVML", file.c_str(), 1);
    return open_nvml(fake_nvml_path().c_str());
  }
  void TearDown() override { unsetenv("FAKE_NVML"); }

  TemporaryDirectory directory_;
};

TEST_F(Gpus, AreDescribedByTheLibraryOfTheirDriver) {
  const auto gpus = with(
      "driver=575.51\ngpu=NVIDIA H100\nuuid=GPU-1\nbus=0x65\nmemory=85899345920\n"
      "max_clock=1980\npower_limit=650000\necc=2\ncapability=75\n");
  ASSERT_TRUE(gpus);
  ASSERT_EQ(gpus->count(), 1);
  const GpuInfo info = gpus->info(0);
  EXPECT_EQ(info.name, "NVIDIA H100");
  EXPECT_EQ(info.uuid, "GPU-1");
  EXPECT_EQ(info.pci_address, "0000:65:00.0");
  EXPECT_EQ(info.driver, "575.51");
  EXPECT_EQ(info.memory_bytes, 85899345920);
  EXPECT_EQ(info.max_clock_mhz, 1980);
  EXPECT_EQ(info.power_limit_watts, 650);
  EXPECT_EQ(info.ecc_errors, 2);
  EXPECT_EQ(info.compute_capability, 75);
}

// As CUDA does not count those that a cgroup forbids.
TEST_F(Gpus, ThatThisProcessMayNotUseAreNotCounted) {
  const auto gpus = with("gpu=A\nhidden=1\ngpu=B\nuuid=GPU-2\ngpu=C\nhidden=1\n");
  ASSERT_EQ(gpus->count(), 1);
  EXPECT_EQ(gpus->info(0).uuid, "GPU-2");
}

TEST_F(Gpus, AreThrottledForReasonsThatMakeThemSlower) {
  const auto gpus = with("gpu=A\nthrottle=0x44\ngpu=B\nthrottle=0x1\ngpu=C\nthrottle=0x2\n");
  EXPECT_THAT(gpus->state(0).throttled, ElementsAre("power limit", "temperature (hardware)"));
  EXPECT_THAT(gpus->state(1).throttled, IsEmpty()) << "idle";
  EXPECT_THAT(gpus->state(2).throttled, IsEmpty()) << "clocks that somebody chose";
}

TEST_F(Gpus, KnowTheirPeers) {
  const auto gpus = with("gpu=A\ngpu=B\ngpu=C\npeer=0\n");
  EXPECT_EQ(gpus->peers(0, 1), true);
  EXPECT_EQ(gpus->peers(0, 2), false);
}

TEST_F(Gpus, WhatABoardDoesNotTellIsAbsent) {
  EXPECT_EQ(with("gpu=A\nno_energy=1\n")->state(0).energy_joules, std::nullopt);
}

TEST_F(Gpus, AreNoneWithoutALibraryOrADriver) {
  EXPECT_EQ(open_nvml("libno-such-library.so.1"), nullptr);
  EXPECT_EQ(with("broken=1\n"), nullptr);
  EXPECT_EQ(with("")->count(), 0);
}

TEST_F(Gpus, AWatchSeesTheEnergyBetweenStartAndStop) {
  const auto gpus = with("gpu=A\nclock=1500\nthrottle=0x4\n");
  GpuWatch watch(*gpus, 0, Seconds{1000});  // so its thread asks nothing meanwhile
  watch.start();
  gpus->state(0);  // one joule, see fake_nvml.cpp
  gpus->state(0);
  watch.stop();
  const GpuRecord& record = watch.record();
  EXPECT_EQ(record.energy_joules, 3);
  EXPECT_EQ(record.samples, 2);
  EXPECT_EQ(record.lowest_clock_mhz, 1500);
  EXPECT_THAT(record.throttled, ElementsAre("power limit"));
}

TEST(GpuRecords, JoinClocksAndReasonsOfAllSamples) {
  GpuRecord record;
  add_sample(record, {.clock_mhz = 1900, .throttled = {}});
  add_sample(record, {.clock_mhz = 1200, .throttled = {"temperature"}});
  add_sample(record, {.clock_mhz = 1500, .throttled = {"temperature", "power limit"}});
  EXPECT_EQ(record.lowest_clock_mhz, 1200);
  EXPECT_EQ(record.highest_clock_mhz, 1900);
  EXPECT_THAT(record.throttled, ElementsAre("temperature", "power limit"));
}

}  // namespace
}  // namespace lockstep
