// Predictions from the smaller runs of a sweep.
#include "sim/calibrate/check_sweep.h"

#include <gmock/gmock.h>

#include "report/analysis/step_timeline.h"
#include "report/made_runs.h"

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
