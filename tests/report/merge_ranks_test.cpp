#include "report/merge_ranks.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

RankResult rank_with(int rank, double seconds, double loss) {
  RankResult result;
  result.rank = rank;
  StepRecord step;
  step.duration = Seconds(seconds);
  step.phase(Phase::Forward) = Seconds(seconds / 2);
  step.images = 10;
  step.losses = {.base_loss = loss, .total_loss = loss + 1, .top_1_hits = 1, .top_5_hits = 5};
  result.steps = {step};
  return result;
}

TEST(MergeRanks, AStepTakesAsLongAsOnTheSlowestAndHasTheImagesOfAll) {
  RunResult result;
  merge_ranks(result, {rank_with(0, 1, 2), rank_with(1, 3, 4)});
  ASSERT_EQ(result.steps.size(), 1u);
  const StepRecord& step = result.steps.front();
  EXPECT_EQ(step.duration.count(), 3);
  EXPECT_EQ(step.phase(Phase::Forward).count(), 1.5);
  EXPECT_EQ(step.images, 20);
  EXPECT_EQ(step.losses.base_loss, 3);
  EXPECT_EQ(step.losses.top_5_hits, 10);
  EXPECT_EQ(result.ranks.size(), 2u);
  EXPECT_EQ(result.stragglers.size(), 2u);
}

TEST(MergeRanks, OneRankIsTheRun) {
  RunResult result;
  merge_ranks(result, {rank_with(0, 1, 2)});
  EXPECT_EQ(result.steps.size(), 1u);
  EXPECT_TRUE(result.ranks.empty());
}

TEST(MergeRanks, ARanksResultSurvivesTheWay) {
  RankResult rank = rank_with(3, 1, 2);
  rank.host = "node2";
  rank.transfers = {{Seconds(1), Seconds(2), Seconds(3)}};
  EXPECT_EQ(rank_to_json(rank_from_json(rank_to_json(rank))), rank_to_json(rank));
}

}  // namespace
}  // namespace lockstep
