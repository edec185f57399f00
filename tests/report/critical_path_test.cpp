#include "report/analysis/critical_path.h"

#include <gmock/gmock.h>

#include <cmath>

#include "report/analysis/loss_budget.h"
#include "report/made_steps.h"

namespace lockstep {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(CriticalPath, CoversEveryStepWithoutGaps) {
  MadeSteps made;
  made.noise = 0.8;
  made.transfer = {0.030, 0.030, 0.010};
  const RunResult result = made_result(made);
  const StepRecords records(result);
  for (size_t step = 0; step < records.steps(); ++step) {
    const StepWalk walk = walk_step(records, step);
    Seconds at = result.steps[step].begin;
    for (const PathSegment& each : walk.segments) {
      EXPECT_EQ(each.begin, at);
      EXPECT_GT(each.end, each.begin);
      at = each.end;
    }
    EXPECT_EQ(at, result.steps[step].begin + result.steps[step].duration);
  }
}

TEST(CriticalPath, ARankThatIsSlowEverywhereHasNoPlace) {
  MadeSteps made;
  made.ranks = 2;
  std::vector<RankResult> ranks = made_ranks(made);
  RunResult result = made_result(made, ranks);
  EXPECT_THAT(critical_path_of(result)->late, IsEmpty());
  MadeSteps slow = made;
  for (double& each : slow.backward) each *= 1.2;
  slow.forward *= 1.2;
  // The same schedule with rank 1 slowed in every layer.
  slow.late_rank = -1;
  const std::vector<RankResult> slowed = made_ranks(slow);
  ranks[1] = slowed[1];
  for (size_t i = 0; i < ranks[0].transfers.size(); ++i) {
    ranks[0].transfers[i].end = ranks[1].transfers[i].end;
  }
  for (size_t step = 0; step < ranks[0].steps.size(); ++step) {
    StepRecord& first = ranks[0].steps[step];
    const StepRecord& other = ranks[1].steps[step];
    const Seconds shift = other.begin - first.begin;
    for (size_t b = 0; b < 3; ++b) {
      TransferRecord& each = ranks[0].transfers[step * 3 + b];
      each.ready += shift;
      each.begin = std::max(each.begin + shift, each.ready);
    }
    first.phase(Phase::Communication) += other.duration - first.duration;
    first.begin = other.begin;
    first.duration = other.duration;
  }
  ranks[0].total = ranks[1].total;
  result = made_result(made, ranks);
  const PathSummary path = *critical_path_of(result);
  ASSERT_THAT(path.late, SizeIs(1));
  EXPECT_EQ(path.late[0].rank, 1);
  EXPECT_EQ(path.late[0].where, "");
  EXPECT_NEAR(1e3 * path.late[0].seconds, 18, 3);
}

// PyTorch tells all phases but input, and nothing of its buckets.
RunResult of_pytorch(const MadeSteps& made) {
  std::vector<RankResult> ranks = made_ranks(made);
  for (RankResult& rank : ranks) {
    rank.transfers.clear();
    for (StepRecord& step : rank.steps) step.phase(Phase::Input) = Seconds(std::nan(""));
  }
  MadeSteps without = made;
  without.transfer.clear();
  RunResult result = made_result(without, std::move(ranks));
  result.config.framework = "pytorch";
  result.path = critical_path_of(result);
  return result;
}

MadeSteps steps_of_pytorch(int ranks) {
  MadeSteps made;
  made.ranks = ranks;
  made.input = 0;
  return made;
}

LossBudget budget_of_pytorch(const RunResult& result) {
  std::vector<StoredRun> runs;
  add_launch(runs, of_pytorch(steps_of_pytorch(1)));
  add_launch(runs, result);
  return loss_budgets(make_scaling(runs), runs).at(0);
}

TEST(CriticalPath, OfAFrameworkThatDoesNotTellInputFindsTheWire) {
  MadeSteps made = steps_of_pytorch(4);
  made.transfer.back() = 0.030;
  const LossBudget budget = budget_of_pytorch(of_pytorch(made));
  EXPECT_EQ(budget.source, BudgetSource::Records);
  EXPECT_NEAR(1e3 * budget.seconds[static_cast<size_t>(LossPart::Wire)], 30, 6);
  EXPECT_EQ(budget.largest(), LossPart::Wire);
  EXPECT_NEAR(budget.seconds[static_cast<size_t>(LossPart::Between)], 0, 1e-9);
}

TEST(CriticalPath, OfAFrameworkFindsItsLateRank) {
  MadeSteps made = steps_of_pytorch(4);
  made.late_rank = 2;
  made.late_backward = 0.020;
  const LossBudget budget = budget_of_pytorch(of_pytorch(made));
  EXPECT_NEAR(1e3 * budget.seconds[static_cast<size_t>(LossPart::LateRanks)], 20, 4);
  ASSERT_THAT(budget.path.late, SizeIs(1));
  EXPECT_EQ(budget.path.late[0].rank, 2);
}

TEST(CriticalPath, RanksThatDoNotTellHowLongTheyWaitedHaveNone) {
  RunResult result = of_pytorch(steps_of_pytorch(2));
  for (RankResult& rank : result.ranks) {
    for (StepRecord& step : rank.steps) step.phase(Phase::Communication) = Seconds(std::nan(""));
  }
  result.summary.mean_phases[static_cast<size_t>(Phase::Communication)] = std::nan("");
  result.path = critical_path_of(result);
  EXPECT_FALSE(result.path);
  const LossBudget budget = budget_of_pytorch(result);
  EXPECT_EQ(budget.source, BudgetSource::Nothing);
  EXPECT_EQ(budget.largest(), LossPart::Unknown);
}

}  // namespace
}  // namespace lockstep
