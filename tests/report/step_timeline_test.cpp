#include "report/analysis/step_timeline.h"

#include <gtest/gtest.h>

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

TEST(StepTimeline, OneRankHasNone) {
  MadeSteps made;
  made.ranks = 1;
  EXPECT_FALSE(timeline_of(made_result(made)));
}

}  // namespace
}  // namespace lockstep
