#include "report/render/gpu_remarks.h"

#include <gmock/gmock.h>

#include "config/json.h"
#include "report/results/run_result.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

GpuRecord gpu(int rank) {
  GpuRecord record = {.rank = rank, .host = "node1"};
  record.info.name = "NVIDIA H100";
  record.info.driver = "570.00";
  record.info.pci_address = "0000:65:00.0";
  record.lowest_clock_mhz = 1800;
  record.highest_clock_mhz = 1980;
  record.energy_joules = 1000;
  return record;
}

TEST(GpuRemarks, AThrottledGpuIsANoteOnTheThroughput) {
  std::vector<GpuRecord> gpus = {gpu(0), gpu(1)};
  EXPECT_THAT(gpu_notes(gpus), IsEmpty());
  gpus[1].throttled = {"temperature"};
  EXPECT_THAT(gpu_notes(gpus),
              ElementsAre("note: the GPU of rank 1 (node1, 0000:65:00.0) was throttled during the "
                          "timed steps (temperature), and throughput is too low"));
}

TEST(GpuRemarks, MemoryErrorsAndMixedModelsAreNoted) {
  std::vector<GpuRecord> gpus = {gpu(0), gpu(1)};
  gpus[0].info.ecc_errors = 2;
  gpus[1].info.name = "NVIDIA A100";
  EXPECT_THAT(gpu_notes(gpus),
              ElementsAre(HasSubstr("2 uncorrected memory errors"), HasSubstr("differ in model")));
}

TEST(GpuRemarks, TheLineHasModelClockAndEnergy) {
  EXPECT_THAT(
      gpu_lines({gpu(0), gpu(1)}, 4000),
      ElementsAre("GPU: 2 x NVIDIA H100, driver 570.00, clock 1800 to 1980 MHz; 2 kJ in the "
                  "timed steps, 0.5 J per image"));
  EXPECT_THAT(gpu_lines({}, 4000), IsEmpty());
}

TEST(GpuRemarks, EnergyOfSomeGpusIsNotThatOfAll) {
  std::vector<GpuRecord> gpus = {gpu(0), gpu(1)};
  gpus[1].energy_joules = {};
  EXPECT_THAT(gpu_lines(gpus, 4000).front(), ::testing::Not(HasSubstr("J per image")));
}

TEST(GpuRecords, SurviveTheResultFile) {
  RunResult result;
  result.gpus = {gpu(3)};
  result.gpus[0].throttled = {"power limit"};
  const RunResult read = result_from_json(result_to_json(result));
  ASSERT_EQ(read.gpus.size(), 1u);
  EXPECT_EQ(read.gpus[0].rank, 3);
  EXPECT_EQ(read.gpus[0].info.name, "NVIDIA H100");
  EXPECT_EQ(read.gpus[0].energy_joules, 1000);
  EXPECT_EQ(read.gpus[0].info.ecc_errors, std::nullopt);
  EXPECT_THAT(read.gpus[0].throttled, ElementsAre("power limit"));
}

}  // namespace
}  // namespace lockstep
