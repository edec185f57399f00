#include "report/analysis/step_timeline.h"

#include <gtest/gtest.h>

#include <cmath>

#include "report/made_steps.h"

namespace lockstep {
namespace {

TEST(StepTimeline, ShowsTheMedianStepOfAllRanks) {
  MadeSteps made;
  made.late_rank = 3;
  made.late_backward = 0.010;
  const auto line = timeline_of(made_result(made));
  ASSERT_TRUE(line.has_value());
  ASSERT_EQ(line->ranks.size(), 4u);
  EXPECT_NEAR(line->seconds, 0.108, 1e-9);
  for (const TimelineRank& rank : line->ranks) {
    double at = rank.blocks.front().begin;
    for (const TimelineBlock& block : rank.blocks) {
      EXPECT_NEAR(block.begin, at, 1e-9);
      at = block.end;
    }
    EXPECT_NEAR(at, line->seconds, 1e-9);
    EXPECT_EQ(rank.transfers.size(), 3u);
  }
  EXPECT_EQ(line->path.front().rank, 3) << "it is what the others waited for";
  EXPECT_NEAR(line->path.back().end.count(), line->seconds, 1e-9);
}

TEST(StepTimeline, APredictedStepHasOneRankThatStandsForAll) {
  MadeSteps made;
  made.transfer.back() = 0.030;
  std::vector<RankResult> ranks = made_ranks(made);
  RunResult result = made_result(made, ranks);
  ranks.resize(1);
  ranks[0].steps.resize(1);
  ranks[0].transfers.resize(made.transfer.size());
  result.steps = ranks[0].steps;
  result.ranks = ranks;
  EXPECT_FALSE(timeline_of(result)) << "a measured one has several";
  result.origin = "simulated on a cluster";
  const auto line = timeline_of(result);
  ASSERT_TRUE(line);
  EXPECT_EQ(line->ranks.size(), 1u);
  EXPECT_EQ(line->ranks[0].transfers.size(), 3u);
  const auto wire = std::ranges::find(line->path, PathPart::Wire, &PathSegment::part);
  ASSERT_NE(wire, line->path.end());
  EXPECT_NEAR((wire->end - wire->begin).count(), 0.030, 1e-9);
}

TEST(StepTimeline, StepsWithoutPhasesHaveNone) {
  RunResult result = made_result(MadeSteps{});
  for (auto* steps : {&result.steps, &result.ranks[0].steps, &result.ranks[1].steps}) {
    for (StepRecord& step : *steps) step.phases.fill(Seconds(std::nan("")));
  }
  EXPECT_FALSE(timeline_of(result));
}

TEST(StepTimeline, OneRankHasNone) {
  MadeSteps made;
  made.ranks = 1;
  EXPECT_FALSE(timeline_of(made_result(made)));
}

}  // namespace
}  // namespace lockstep
