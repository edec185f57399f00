#include "sweep/halving.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "config/run_id.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

SweepRun candidate(int batch) {
  SweepRun run;
  run.config.batch_size = batch;
  run.id = run_id(run.config);
  return run;
}

StoredRun launch_of(const SweepRun& run, double rate) {
  StoredRun stored;
  stored.id = run.id;
  stored.result.config = run.config;
  stored.result.throughput.total_images_per_second = rate;
  if (rate == 0) stored.result.status = RunStatus::Failed;
  return stored;
}

std::vector<int> batches(const std::vector<SweepRun>& runs) {
  std::vector<int> result;
  for (const SweepRun& run : runs) result.push_back(run.config.batch_size);
  return result;
}

TEST(Halving, TheFasterPartContinuesFastestFirst) {
  std::vector<SweepRun> runs;
  StoreContents contents;
  for (int i = 1; i <= 9; ++i) {
    runs.push_back(candidate(i));
    contents.runs.push_back(launch_of(runs.back(), 10 * i));
  }
  EXPECT_THAT(batches(survivors(runs, contents, {})), ElementsAre(9, 8, 7));
}

TEST(Halving, LaunchesOfARunAreAveragedAsTimes) {
  const std::vector<SweepRun> runs = {candidate(1), candidate(2), candidate(3)};
  StoreContents contents;
  // 100 and 25 images/sec take as long as 40 and 40: the mean of the rates would say otherwise.
  for (const double rate : {100.0, 25.0}) contents.runs.push_back(launch_of(runs[0], rate));
  for (const double rate : {45.0, 45.0}) contents.runs.push_back(launch_of(runs[1], rate));
  contents.runs.push_back(launch_of(runs[2], 30));
  EXPECT_THAT(batches(survivors(runs, contents, {})), ElementsAre(2, 1));
}

TEST(Halving, FailedRunsNeverContinue) {
  const std::vector<SweepRun> runs = {candidate(1), candidate(2), candidate(3)};
  StoreContents contents;
  contents.runs = {launch_of(runs[0], 0), launch_of(runs[1], 5)};
  EXPECT_THAT(batches(survivors(runs, contents, {})), ElementsAre(2));
  EXPECT_THAT(survivors(runs, {}, {}), IsEmpty());
}

class HalvingRun : public ::testing::Test {
 protected:
  TemporaryDirectory temporary_;
  const std::string directory_ = temporary_.path().string();
};

// Everything was measured before, so nothing is launched and only the rounds are seen.
TEST_F(HalvingRun, RoundsGetSmallerAndLonger) {
  SweepPlan plan;
  ResultsStore store(directory_);
  for (int i = 1; i <= 10; ++i) {
    plan.runs.push_back(candidate(i));
    for (int repeat = 0; repeat < 9; ++repeat) {
      StoredRun run = launch_of(plan.runs.back(), 10 * i);
      run.repeat = repeat;
      store.append(run);
    }
  }
  std::vector<std::pair<size_t, int>> rounds;
  const HalvingOutcome outcome = run_halving(
      plan, {}, store, "/bin/false", [](const SweepRun&) { return 1.0; },
      {.round =
           [&](const HalvingRound& now) { rounds.emplace_back(now.runs.size(), now.launches); },
       .launches = {}});
  EXPECT_THAT(rounds, ElementsAre(std::pair(10, 1), std::pair(4, 3), std::pair(2, 9)));
  EXPECT_THAT(batches(outcome.ranking), ElementsAre(10, 9));
}

TEST_F(HalvingRun, WhenAllFailThereIsNoWinner) {
  SweepPlan plan;
  plan.runs = {candidate(1), candidate(2)};
  ResultsStore store(directory_);
  const HalvingOutcome outcome =
      run_halving(plan, {}, store, "/bin/false", [](const SweepRun&) { return 1.0; }, {});
  EXPECT_THAT(outcome.ranking, IsEmpty());
  EXPECT_EQ(store.contents().runs.size(), 2u);  // each with its error
}

}  // namespace
}  // namespace lockstep
