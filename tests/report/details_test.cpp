#include "report/analysis/details.h"

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "base/atomic_file.h"
#include "config/json.h"
#include "config/run_id.h"
#include "report/made_steps.h"
#include "report/render/detail_charts.h"
#include "report/results/published.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

StepRecord step_of(double milliseconds, double waited) {
  StepRecord step;
  step.duration = Seconds(milliseconds / 1000);
  step.phase(Phase::Communication) = Seconds(waited / 1000);
  step.images = 8;
  return step;
}

// Rank 2 computes longer than the others, which wait for it.
RunResult three_ranks(size_t steps) {
  RunResult result;
  result.config.model = "alexnet";
  result.config.num_devices = result.facts.devices = 3;
  result.steps.assign(steps, step_of(10, 0));
  for (int rank = 0; rank < 3; ++rank) {
    RankResult& each = result.ranks.emplace_back();
    each.rank = rank;
    each.steps.assign(steps, step_of(10, rank == 2 ? 0 : 4));
  }
  result.summary = summarize(result.steps, 100);
  return result;
}

TEST(Details, ARankIsLateByWhatItsOwnWorkTakesBeyondTheMedian) {
  const LatenessMap map = details_of(three_ranks(2)).lateness;
  ASSERT_EQ(map.milliseconds.size(), 3u);
  EXPECT_THAT(map.milliseconds[0], ElementsAre(0, 0));
  EXPECT_THAT(map.milliseconds[2], ElementsAre(DoubleNear(4, 1e-9), DoubleNear(4, 1e-9)));
}

TEST(Details, QuantilesAreThoseOfTheStatistics) {
  RunResult run = three_ranks(2);
  run.steps = {step_of(10, 0), step_of(20, 0), step_of(40, 0)};
  const StepRange range = details_of(run).range;
  EXPECT_NEAR(range.least, 10, 1e-9);
  EXPECT_NEAR(range.p5, 11, 1e-9);  // linear between order statistics
  EXPECT_NEAR(range.median, 20, 1e-9);
  EXPECT_NEAR(range.p95, 38, 1e-9);
  EXPECT_NEAR(range.most, 40, 1e-9);
}

// The page and the result file say the same.
TEST(Details, StepsBeforeTheSteadyStateAreDrawnAndNotCounted) {
  RunResult run = three_ranks(2);
  run.steps = {step_of(90, 0), step_of(10, 0), step_of(20, 0), step_of(30, 0)};
  run.summary.steady_state.dropped_steps = 1;
  const LaunchDetails details = details_of(run);
  EXPECT_EQ(details.steps_ms.size(), 4u);
  EXPECT_NEAR(details.range.median, 20, 1e-9);
  EXPECT_NEAR(details.range.most, 30, 1e-9);
}

TEST(Details, ManyStepsShareColumns) {
  const LatenessMap map = details_of(three_ranks(250)).lateness;
  EXPECT_EQ(map.steps_per_column, 3);
  ASSERT_EQ(map.milliseconds[2].size(), 84u);  // the last holds one step
  EXPECT_NEAR(map.milliseconds[2].back(), 4, 1e-9);
}

TEST(Details, RanksThatDoNotTellHowLongTheyWaitedAreNotLate) {
  RunResult run = three_ranks(3);
  run.ranks[1].steps[2].phase(Phase::Communication) = Seconds(std::nan(""));
  EXPECT_THAT(details_of(run).lateness.milliseconds, IsEmpty());
}

TEST(Details, ASingleRankIsNeverLate) {
  RunResult alone = three_ranks(3);
  alone.ranks.clear();
  EXPECT_THAT(details_of(alone).lateness.milliseconds, IsEmpty());
  EXPECT_EQ(details_of(alone).steps_ms.size(), 3u);
}

class DetailsOnDisk : public ::testing::Test {
 protected:
  void add(const std::string& raw_file, int devices, double rate, size_t steps = 4) {
    add(raw_file, devices, rate, three_ranks(steps));
  }
  void add(const std::string& raw_file, int devices, double rate, const RunResult& result) {
    StoredRun run;
    run.result = result;
    run.result.config.num_devices = run.result.facts.devices = devices;
    run.result.throughput.total_images_per_second = rate;
    run.id = run_id(run.result.config);
    run.raw_file = raw_file;
    run.repeat = static_cast<int>(collection_.runs.size());
    if (raw_file != "missing.json") {
      write_whole_file((directory_ / raw_file).string(), result_to_json(run.result).dump());
    }
    run.result = without_samples(run.result);
    collection_.runs.push_back(run);
    collection_.directories.push_back(directory_.string());
  }

  TemporaryDirectory temporary_;
  const fs::path directory_ = temporary_.path();
  RunCollection collection_;
};

TEST_F(DetailsOnDisk, TheLaunchClosestToTheMeanIsShown) {
  add("a.json", 3, 90);
  add("b.json", 3, 100);
  add("c.json", 3, 111);
  const FoundDetails found = find_details(make_scaling(collection_.runs), collection_);
  ASSERT_EQ(found.launches.size(), 1u);
  EXPECT_EQ(found.launches[0].repeat, 1);
  EXPECT_EQ(found.launches[0].steps_ms.size(), 4u);
}

TEST_F(DetailsOnDisk, TheNumberOfRawFilesIsLimitedWithANote) {
  for (const int devices : {1, 2, 4}) add(std::to_string(devices) + ".json", devices, 50);
  const FoundDetails found = find_details(make_scaling(collection_.runs), collection_, 2);
  EXPECT_EQ(found.launches.size(), 2u);
  EXPECT_THAT(found.notes, Contains(HasSubstr("not of the 1 others")));
}

TEST_F(DetailsOnDisk, ATimelineThatIsTooLargeLeavesRoomForSmallerOnes) {
  MadeSteps made;
  made.steps = 1;
  made.ranks = 64;
  made.backward.assign(200, 0.0001);
  made.transfer.assign(200, 0.0001);
  const RunResult large = made_result(made);
  made.ranks = 2;
  const RunResult small = made_result(made);
  for (int i = 0; i < 6; ++i) {
    add(std::to_string(i) + ".json", i + 2, 100 + i, i == 5 ? small : large);
  }
  const FoundDetails found = find_details(make_scaling(collection_.runs), collection_);
  ASSERT_EQ(found.launches.size(), 6u);
  for (size_t i = 0; i < 6; ++i) EXPECT_EQ(found.launches[i].timeline.has_value(), i != 4) << i;
  EXPECT_THAT(found.notes, Contains(HasSubstr("one step is not drawn of 1 configuration")));
}

TEST_F(DetailsOnDisk, StepsThatAreNotDrawnAreNoted) {
  add("long.json", 3, 90, 5001);
  const FoundDetails found = find_details(make_scaling(collection_.runs), collection_);
  EXPECT_EQ(found.launches.at(0).steps_ms.size(), 5000u);
  EXPECT_THAT(found.notes, Contains(HasSubstr("the first 5,000 of 5,001 are drawn; long.json")));
}

TEST_F(DetailsOnDisk, AMissingRawFileIsOnlyARemark) {
  add("missing.json", 1, 50);
  add("there.json", 2, 90);
  const FoundDetails found = find_details(make_scaling(collection_.runs), collection_);
  EXPECT_EQ(found.launches.size(), 1u);
  EXPECT_THAT(found.notes, Contains(HasSubstr("missing.json")));
}

TEST_F(DetailsOnDisk, FilesThatCannotBeReadCountTowardsTheLimit) {
  for (const int devices : {1, 2, 4}) add("missing.json", devices, 50);
  const FoundDetails found = find_details(make_scaling(collection_.runs), collection_, 2);
  EXPECT_EQ(std::ranges::count_if(found.notes,
                                  [](auto& note) { return note.starts_with("no single steps"); }),
            2);
}

TEST_F(DetailsOnDisk, ChartsAreTheSameBytesEveryTime) {
  add("there.json", 3, 90);
  const ScalingReport report = make_scaling(collection_.runs);
  const FoundDetails found = find_details(report, collection_);
  const std::vector<ReportFile> once = detail_charts(report, found.launches);
  const std::vector<ReportFile> again = detail_charts(report, found.launches);
  ASSERT_EQ(once.size(), 3u);
  for (size_t i = 0; i < once.size(); ++i) EXPECT_EQ(once[i].text, again[i].text);
  EXPECT_EQ(once[2].path, "stragglers.svg");
  EXPECT_THAT(once[2].text, HasSubstr("rank 2, step 1: 4"));
}

TEST(Published, EveryCurveNamesItsSourceAndRises) {
  const std::vector<PublishedSeries> all = published_series();
  EXPECT_GT(all.size(), 30u);
  for (const PublishedSeries& series : all) {
    EXPECT_FALSE(series.source.empty());
    EXPECT_GE(series.points.size(), 2u) << series.label;
    for (size_t i = 1; i < series.points.size(); ++i) {
      EXPECT_GT(series.points[i].first, series.points[i - 1].first) << series.label;
    }
  }
}

TEST(Published, ThePointsAreTheOnesOfTheTable) {
  const std::vector<PublishedSeries> all = published_series();
  const PublishedSeries& first = all.front();
  EXPECT_EQ(first.model, "inception3");
  EXPECT_EQ(first.batch, 64);
  EXPECT_EQ(first.points.back(), std::pair(8, 1131.0));
}

}  // namespace
}  // namespace lockstep
