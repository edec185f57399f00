// Predictions from the smaller runs of a sweep.
#include "sim/calibrate/check_sweep.h"

#include <gmock/gmock.h>

#include "report/analysis/step_timeline.h"
#include "report/made_runs.h"
#include "sim/calibrate/sweep_curves.h"
#include "sim/step/predict.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<int> devices_of(const PredictedRuns& predicted) {
  std::vector<int> devices;
  for (const RunResult& each : predicted.results) devices.push_back(each.facts.devices);
  return devices;
}

std::vector<StoredRun> one_curve() {
  std::vector<StoredRun> runs;
  add(runs, {.devices = 1, .rates = {100}});
  add(runs, {.devices = 2, .rates = {190}});
  return runs;
}

TEST(PredictBeyond, AddsLargerRunsAndTheOneThatEfficiencyIsRelativeTo) {
  const PredictedRuns predicted = predict_beyond(one_curve(), std::nullopt, {2, 4, 8});
  EXPECT_THAT(devices_of(predicted), ElementsAre(1, 4, 8)) << "2 was measured";
  EXPECT_DOUBLE_EQ(predicted.results[0].throughput.total_images_per_second, 100);
  for (const RunResult& each : predicted.results) EXPECT_TRUE(each.simulated());
  EXPECT_LT(predicted.results[2].throughput.total_images_per_second, 800);
  EXPECT_GT(predicted.results[2].throughput.total_images_per_second,
            predicted.results[1].throughput.total_images_per_second);
}

TEST(PredictBeyond, PredictsAStepThatAPageCanDraw) {
  const PredictedRuns predicted = predict_beyond(one_curve(), std::nullopt, {4});
  EXPECT_FALSE(timeline_of(predicted.results[0])) << "one device sends nothing";
  const auto line = timeline_of(predicted.results[1]);
  ASSERT_TRUE(line);
  ASSERT_EQ(line->ranks.size(), 1u);
  EXPECT_EQ(line->ranks[0].transfers.size(), predicted.results[1].transfers.size());
  double path = 0;
  for (const PathSegment& each : line->path) path += (each.end - each.begin).count();
  EXPECT_NEAR(path, predicted.results[1].summary.mean_step, 1e-9);
}

TEST(PredictBeyond, SaysWhatItAssumesBetweenHostsThatWereNotMeasured) {
  const PredictedRuns predicted = predict_beyond(one_curve(), std::nullopt, {4});
  ASSERT_EQ(predicted.notes.size(), 1u);
  EXPECT_THAT(predicted.notes[0], HasSubstr("10 Gbit/s"));
  EXPECT_THAT(predicted.results.back().origin, HasSubstr("10 Gbit/s")) << "stands in the result";
}

TEST(PredictBeyond, WarnsBeyondEightTimesWhatWasMeasured) {
  const PredictedRuns predicted = predict_beyond(one_curve(), std::nullopt, {16, 32});
  EXPECT_THAT(predicted.results[1].origin, Not(HasSubstr("more than 8 times")));
  EXPECT_THAT(predicted.results[2].origin, HasSubstr("more than 8 times the 2 measured"));
}

TEST(FitCurve, HasAsManyServersAsTheRuns) {
  const auto servers_of = [](std::optional<int> num_ps, int devices) {
    std::vector<StoredRun> runs;
    add(runs, {.devices = 1, .update = "parameter_server"});
    add(runs, {.devices = 4, .rates = {300}, .update = "parameter_server"});
    for (StoredRun& each : runs) {
      each.result.config.num_ps = num_ps;
      each.result.facts.nodes = each.result.facts.devices;
    }
    return scenario_at(fit_curve(curves_in(runs).front(), 2, std::nullopt), devices).servers;
  };
  EXPECT_EQ(servers_of(std::nullopt, 8), 1) << "as train has them";
  EXPECT_EQ(servers_of(4, 8), 4);
  EXPECT_EQ(servers_of(4, 2), 2) << "one per node at most";
}

TEST(FitCurve, SendsHalfAsMuchInBothCompressedForms) {
  for (const char* compression : {"fp16", "bf16"}) {
    std::vector<StoredRun> runs = one_curve();
    for (StoredRun& each : runs) each.result.config.gradient_compression = compression;
    EXPECT_EQ(fit_curve(curves_in(runs).front(), 1, std::nullopt).scenario.gradient_scale, 0.5)
        << compression;
  }
}

// The second run takes as long as if links inside the node had a part of their usual rate.
std::vector<StoredRun> gpu_curve(double inside_scale) {
  std::vector<StoredRun> runs;
  add(runs, {.model = "vgg16", .devices = 1, .rates = {200}});
  add(runs, {.model = "vgg16", .devices = 2, .rates = {300}});
  for (StoredRun& each : runs) each.result.config.device = "cuda";
  const FittedCurve fitted = fit_curve(curves_in(runs).front(), 1, std::nullopt);
  Scenario scenario = scenario_at(fitted, 2);
  scenario.inside_scale = inside_scale;
  runs[1].result.throughput.total_images_per_second =
      predict(fitted.cluster, workload_of("vgg16"), scenario).images_per_second;
  return runs;
}

TEST(FitCurve, OfGpusReducesWithNcclAndFitsTheirLinks) {
  const Curve curve = curves_in(gpu_curve(0.5)).front();
  const FittedCurve fitted = fit_curve(curve, 2, std::nullopt);
  EXPECT_EQ(fitted.cluster.device_kind, "gpu");
  EXPECT_EQ(fitted.cluster.collectives.library, "nccl");
  EXPECT_NEAR(fitted.scenario.inside_scale, 0.5, 1e-3);
  EXPECT_THAT(fitted.known, HasSubstr("links inside the node reach 0.5"));
}

TEST(PredictBeyond, SaysWhatItAssumesInsideHostsWithGpus) {
  std::vector<StoredRun> runs = gpu_curve(0.5);
  EXPECT_THAT(predict_beyond(runs, std::nullopt, {4}).results.back().origin,
              Not(HasSubstr("pcie3")));
  for (StoredRun& each : runs) each.result.facts.devices *= 4;  // 4 on one host, 8 on two
  runs[1].result.facts.nodes = 2;
  EXPECT_THAT(predict_beyond(runs, std::nullopt, {16}).results.back().origin,
              HasSubstr("GPUs of a host are linked by pcie3"));
}

TEST(PredictBeyond, LeavesOutDevicesThatAreNotAlike) {
  std::vector<StoredRun> runs = one_curve();
  runs[0].result.facts.threads = 2;
  const PredictedRuns predicted = predict_beyond(runs, std::nullopt, {4});
  EXPECT_THAT(predicted.results, IsEmpty());
  ASSERT_EQ(predicted.notes.size(), 1u);
  EXPECT_THAT(predicted.notes[0], HasSubstr("sweep with --threads"));
}

}  // namespace
}  // namespace lockstep
