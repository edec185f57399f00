#include "report/results/merge_ranks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "config/json.h"

namespace lockstep {
namespace {

StepRecord step_at(double begin, double end) {
  StepRecord step;
  step.begin = Seconds(begin);
  step.duration = Seconds(end - begin);
  step.images = 10;
  return step;
}

RankResult rank_with(int rank, double seconds, double loss) {
  RankResult result;
  result.rank = rank;
  StepRecord step = step_at(0, seconds);
  step.phase(Phase::Forward) = Seconds(seconds / 2);
  step.phase(Phase::Communication) = Seconds(seconds / 2);
  step.losses = {.base_loss = loss, .total_loss = loss + 1, .top_1_hits = 1, .top_5_hits = 5};
  result.steps = {step};
  return result;
}

// The ranks are late in turns, each by 1 in steps of 10, and the other waits for it in the next.
std::vector<RankResult> skewed_ranks() {
  std::vector<RankResult> ranks(2);
  ranks[0].steps = {step_at(0, 11), step_at(11, 20), step_at(20, 31), step_at(31, 40)};
  ranks[1].steps = {step_at(0, 10), step_at(10, 21), step_at(21, 30), step_at(30, 41)};
  return ranks;
}

TEST(MergeRanks, ALateRankIsNotCountedAgainInTheNextStep) {
  RunResult result;
  merge_ranks(result, skewed_ranks());
  EXPECT_EQ(durations(result.steps), (std::vector<double>{11, 10, 10, 10}));  // not 11 each
  double time = 0;
  for (const StepRecord& step : result.steps) time += step.duration.count();
  EXPECT_EQ(time, 41);  // that of the slowest rank
}

TEST(MergeRanks, TimeBetweenStepsOfAllRanksIsNotPartOfAStep) {
  RunResult result;
  std::vector<RankResult> ranks(2);
  for (RankResult& rank : ranks) rank.steps = {step_at(0, 10), step_at(50, 60)};  // an evaluation
  merge_ranks(result, ranks);
  EXPECT_EQ(durations(result.steps), (std::vector<double>{10, 10}));
}

TEST(MergeRanks, TheFirstTimedStepBeginsAfterTheLastOfTheWarmUp) {
  RunResult result;
  std::vector<RankResult> ranks(2);
  ranks[0].warmup_steps = {step_at(0, 12)};
  ranks[1].warmup_steps = {step_at(0, 10)};
  ranks[0].steps = {step_at(12, 20)};
  ranks[1].steps = {step_at(10, 20)};
  merge_ranks(result, ranks);
  EXPECT_EQ(durations(result.steps), (std::vector<double>{8}));
}

TEST(MergeRanks, AStepTakesAsLongAsOnTheSlowestAndHasTheImagesOfAll) {
  RunResult result;
  merge_ranks(result, {rank_with(0, 1, 2), rank_with(1, 3, 4)});
  ASSERT_EQ(result.steps.size(), 1u);
  const StepRecord& step = result.steps.front();
  EXPECT_EQ(step.duration.count(), 3);
  EXPECT_EQ(step.phase(Phase::Forward).count(), 1.5);  // half of the time on both
  EXPECT_EQ(step.images, 20);
  EXPECT_EQ(step.losses.base_loss, 3);
  EXPECT_EQ(step.losses.top_5_hits, 10);
  EXPECT_EQ(result.ranks.size(), 2u);
  EXPECT_EQ(result.stragglers.size(), 2u);
}

TEST(MergeRanks, ThePhasesOfEveryStepAddUpToItsDuration) {
  std::vector<RankResult> ranks = skewed_ranks();
  for (RankResult& rank : ranks) {
    for (StepRecord& step : rank.steps) {
      step.phase(Phase::Forward) = Seconds(4);
      step.phase(Phase::Communication) = step.duration - Seconds(4);
    }
  }
  RunResult result;
  merge_ranks(result, ranks);
  for (const StepRecord& step : result.steps) {
    const Seconds phases = std::accumulate(step.phases.begin(), step.phases.end(), Seconds{0});
    EXPECT_NEAR(phases.count(), step.duration.count(), 1e-12);
  }
  EXPECT_NEAR(result.steps[0].phase(Phase::Forward).count(), 11 * 8.0 / 21, 1e-12);
}

TEST(MergeRanks, APhaseThatIsUnknownLeavesTheOthers) {
  std::vector<RankResult> ranks = {rank_with(0, 4, 2), rank_with(1, 4, 2)};
  for (RankResult& rank : ranks) {
    StepRecord& step = rank.steps.front();
    step.phases.fill(Seconds(std::numeric_limits<double>::quiet_NaN()));
    step.phase(Phase::Between) = Seconds(0.5);
  }
  RunResult result;
  merge_ranks(result, ranks);
  EXPECT_EQ(result.steps.front().phase(Phase::Between).count(), 0.5);
  EXPECT_TRUE(std::isnan(result.steps.front().phase(Phase::Forward).count()));
}

TEST(MergeRanks, OneRankIsTheRun) {
  RunResult result;
  merge_ranks(result, {rank_with(0, 1, 2)});
  EXPECT_EQ(result.steps.size(), 1u);
  EXPECT_TRUE(result.ranks.empty());
}

TEST(MergeRanks, TheResultOfARankSurvivesTheRoundTrip) {
  RankResult rank = rank_with(3, 1, 2);
  rank.host = "node2";
  rank.transfers = {{Seconds(1), Seconds(2), Seconds(3)}};
  EXPECT_EQ(rank_to_json(rank_from_json(rank_to_json(rank))), rank_to_json(rank));
}

TEST(MergeRanks, ATransferKeepsHowLongItsServerHeldItAndOlderOnesDoNotTell) {
  RankResult rank = rank_with(0, 1, 2);
  rank.transfers = {{Seconds(1), Seconds(2), Seconds(9)},
                    {Seconds(1), Seconds(2), Seconds(9), ServerHold{Seconds(4), Seconds(3)}}};
  const Json json = rank_to_json(rank);
  EXPECT_EQ(json.at("transfers").dump(), "[[1.0,2.0,9.0],[1.0,2.0,9.0,4.0,3.0]]");
  const RankResult again = rank_from_json(json);
  EXPECT_FALSE(again.transfers[0].hold);
  ASSERT_TRUE(again.transfers[1].hold);
  EXPECT_EQ(again.transfers[1].hold->waited, Seconds(4));
  EXPECT_EQ(again.transfers[1].hold->queued, Seconds(3));
}

}  // namespace
}  // namespace lockstep
