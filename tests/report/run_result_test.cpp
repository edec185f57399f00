#include "report/results/run_result.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "config/json.h"

namespace lockstep {
namespace {

RunResult full_result() {
  RunResult result;
  result.program_version = "0.1.0";
  result.config = {.model = "lenet", .batch_size = 32, .num_batches = 2};
  result.facts.model = "lenet";
  result.facts.forward_macs = 14'000'000'000;
  result.summary.steps = 2;
  result.summary.steady_state = {.steadiness = Steadiness::SlowingDown, .drift = 0.25};
  result.summary.images_per_second_95 = {.low = 1.5, .high = 2.5};
  result.summary.outlier_steps = {1};
  result.throughput.fma_peak_gflops = 200.5;
  result.peak_memory_bytes = 123456789;
  result.host.isa = {"avx2", "fma"};
  result.host.cpu_model = "Some CPU";
  result.libraries = {{"native", "oneDNN"}};
  result.conv_choices = {{"forward 3x3", "winograd"}};
  result.ops = {{.layer = "conv0",
                 .what = "conv+relu",
                 .kernel = "jit",
                 .output = "8x4x4",
                 .forward_macs = 5,
                 .forward_seconds = 0.5,
                 .backward_seconds = {}}};
  StepRecord step;
  step.duration = Seconds(0.125);
  step.phase(Phase::Backward) = Seconds(0.0625);
  step.images = 32;
  step.losses = {.base_loss = 7, .total_loss = 9, .top_1_hits = 1, .top_5_hits = 3};
  result.steps = {step, step};
  return result;
}

TEST(RunResult, SurvivesTheRoundTripThroughJson) {
  const Json json = result_to_json(full_result());
  const RunResult again = result_from_json(Json::parse(json.dump()));
  EXPECT_EQ(result_to_json(again).dump(), json.dump());
  EXPECT_EQ(again.config, full_result().config);
  EXPECT_EQ(again.summary.steady_state.steadiness, Steadiness::SlowingDown);
  EXPECT_EQ(again.steps[1].phase(Phase::Backward), Seconds(0.0625));
}

TEST(RunResult, HasItsSchemaVersionFirst) {
  const Json json = result_to_json(full_result());
  EXPECT_EQ(json.begin().key(), "schema_version");
  EXPECT_EQ(json.at("schema_version"), kResultSchemaVersion);
}

TEST(RunResult, KeepsEveryStepWithItsPhases) {
  const Json json = result_to_json(full_result());
  ASSERT_EQ(json.at("steps").size(), 2u);
  for (const char* key : {"seconds", "input_seconds", "forward_seconds", "backward_seconds",
                          "exposed_communication_seconds", "update_seconds", "total_loss"}) {
    EXPECT_TRUE(json.at("steps")[0].contains(key)) << key;
  }
}

TEST(RunResult, UnavailableValuesAreNull) {
  const Json json = result_to_json({});
  EXPECT_TRUE(json.at("host").at("governor").is_null());
  EXPECT_TRUE(json.at("peak_memory_bytes").is_null());
}

TEST(RunResult, ALossThatIsNotANumberIsNullAndReadBack) {
  RunResult result;
  result.last_loss = std::nan("");
  const Json json = result_to_json(result);
  EXPECT_TRUE(json.at("last_loss").is_null());
  EXPECT_TRUE(std::isnan(result_from_json(json).last_loss));
}

TEST(RunResult, AnotherSchemaIsRefused) {
  Json json = result_to_json({});
  json["schema_version"] = 99;
  EXPECT_THROW(result_from_json(json), Error);
  EXPECT_THROW(result_from_json(Json::object()), Error);
}

TEST(RunResult, SamplesThatNoRunHasAreRefused) {
  const Json json = result_to_json(full_result());
  for (const auto& [key, value] :
       {std::pair("seconds", Json(-1)), {"images", Json(-1)}, {"forward_seconds", Json(1e300)}}) {
    Json other = json;
    other.at("steps").at(1)[key] = value;
    EXPECT_THROW(result_from_json(other), Error) << key;
  }
  Json other = json;
  other.at("throughput")["total_images_per_second"] = -1e300;
  EXPECT_THROW(result_from_json(other), Error);
}

TEST(RunResult, AMissingFileIsNamed) {
  try {
    read_result("/nowhere/result.json");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "cannot read /nowhere/result.json: No such file or directory");
  }
}

TEST(RunResult, CommunicationEfficiencyIsReadByItsOlderNameToo) {
  RunResult result;
  result.independent = {.images_per_second = 100, .communication_efficiency = 0.9, .steps = 6};
  result.independent->mean_phases = {0.1, 0.2, 0.3, 0, 0.4};
  Json json = result_to_json(result);
  EXPECT_FALSE(json["independent"].contains("efficiency"));
  EXPECT_EQ(json["independent"]["mean_backward_seconds"], 0.3);
  EXPECT_EQ(result_from_json(json).independent->mean_phases, result.independent->mean_phases);
  json["independent"] = {{"images_per_second", 100}, {"efficiency", 0.8}, {"steps", 6}};
  EXPECT_EQ(result_from_json(json).independent->communication_efficiency, 0.8);
}

}  // namespace
}  // namespace lockstep
