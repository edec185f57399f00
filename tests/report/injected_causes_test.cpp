// Causes of a known size, alone and together: the loss budget finds each within 20 % of its size.
#include <gmock/gmock.h>

#include <tuple>

#include "report/analysis/loss_budget.h"
#include "report/made_steps.h"

namespace lockstep {
namespace {

using ::testing::SizeIs;

struct InjectedCauses : ::testing::TestWithParam<int> {
  MadeSteps made() const {
    MadeSteps steps;
    steps.ranks = GetParam();
    steps.steps = 400;
    return steps;
  }
};

double step_ms(const MadeSteps& made) { return 1e3 * made_result(made).summary.mean_step; }

LossBudget budget_of(const MadeSteps& made) {
  MadeSteps alone;
  alone.ranks = 1;
  alone.steps = made.steps;
  alone.hidden_update = made.hidden_update;
  alone.update_strategy = made.update_strategy;
  alone.input = std::min(alone.input, made.input);
  std::vector<StoredRun> runs;
  add_launch(runs, made_result(alone));
  add_launch(runs, made_result(made));
  return loss_budgets(make_scaling(runs), runs).at(0);
}

double ms(const LossBudget& budget, LossPart part) {
  return 1e3 * budget.seconds[static_cast<size_t>(part)];
}

struct Cause {
  LossPart part;
  double ms;
};

// The largest error that is allowed for any part is that of the smallest cause.
void expect_causes(const MadeSteps& made, std::vector<Cause> causes) {
  const LossBudget budget = budget_of(made);
  double smallest = causes.front().ms, sum = 0;
  for (const Cause& each : causes) smallest = std::min(smallest, each.ms);
  for (size_t i = 0; i < kLossPartCount; ++i) {
    const auto part = static_cast<LossPart>(i);
    const auto found = std::ranges::find(causes, part, &Cause::part);
    const double injected = found == causes.end() ? 0 : found->ms;
    EXPECT_NEAR(ms(budget, part), injected, 0.2 * std::max(injected, smallest))
        << kLossParts[i].name;
    sum += budget.seconds[i];
  }
  EXPECT_NEAR(sum, budget.step - budget.ideal_step, 1e-12);
}

void expect_chance_charged_once(MadeSteps made, double wire) {
  const double without = step_ms(made);
  made.noise = 0.7;
  expect_causes(made, {{LossPart::LateRanks, step_ms(made) - without}, {LossPart::Wire, wire}});
}

constexpr double kLastWire = 4;

TEST_P(InjectedCauses, ChanceIsChargedOnce) { expect_chance_charged_once(made(), kLastWire); }

TEST_P(InjectedCauses, ALateRankAmongChance) {
  MadeSteps late = made();
  const double without = step_ms(late);
  late.noise = 0.7;
  late.late_rank = 1;
  late.late_backward = 0.012;
  expect_causes(late,
                {{LossPart::LateRanks, step_ms(late) - without}, {LossPart::Wire, kLastWire}});
  ASSERT_FALSE(budget_of(late).path.late.empty());
  EXPECT_EQ(budget_of(late).path.late[0].rank, 1);
}

TEST_P(InjectedCauses, ARankThatIsLateNowAndThen) {
  MadeSteps late = made();
  late.late_rank = 1;
  late.late_backward = 0.060;
  late.late_every = 4;
  expect_causes(late, {{LossPart::LateRanks, 15}, {LossPart::Wire, kLastWire}});
  const PathSummary path = budget_of(late).path;
  ASSERT_THAT(path.late, SizeIs(1));
  EXPECT_NEAR(path.late[0].fraction, 0.25, 1e-9);
  EXPECT_NEAR(1e3 * path.late[0].seconds, 60, 1);
}

TEST_P(InjectedCauses, ASlowLinkIsQueueAndTheLastBucketWire) {
  MadeSteps link = made();
  link.transfer = {0.1, 0.1, 0.1};
  expect_causes(link, {{LossPart::Queue, 160}, {LossPart::Wire, 100}});
}

TEST_P(InjectedCauses, ALateRankOnASlowLink) {
  MadeSteps late = made();
  late.transfer = {0.1, 0.1, 0.1};
  late.late_rank = 1;
  late.late_bucket = 0;
  late.late_backward = 0.026;
  expect_causes(late, {{LossPart::LateRanks, 26}, {LossPart::Queue, 160}, {LossPart::Wire, 100}});
  EXPECT_EQ(budget_of(late).path.late.at(0).where, "backward of layer3");
}

TEST_P(InjectedCauses, LatenessThatTheQueueHidesCostsNothing) {
  MadeSteps late = made();
  late.transfer = {0.1, 0.1, 0.1};
  late.late_rank = 1;
  late.late_bucket = 2;
  late.late_backward = 0.026;
  expect_causes(late, {{LossPart::Queue, 160}, {LossPart::Wire, 100}});
}

TEST_P(InjectedCauses, ChanceOnASlowLink) {
  MadeSteps chance = made();
  chance.transfer = {0.1, 0.1, 0.1};
  const double without = step_ms(chance);
  chance.noise = 0.7;
  expect_causes(chance, {{LossPart::LateRanks, step_ms(chance) - without},
                         {LossPart::Queue, 160},
                         {LossPart::Wire, 100}});
}

TEST_P(InjectedCauses, ARankThatUpdatesSlowly) {
  MadeSteps late = made();
  late.late_rank = 1;
  late.late_update = 0.010;
  expect_causes(late, {{LossPart::LateRanks, 10}, {LossPart::Wire, kLastWire}});
  EXPECT_EQ(budget_of(late).path.late.at(0).where, "the update");
}

TEST_P(InjectedCauses, ARankThatComputesAndUpdatesSlowly) {
  MadeSteps late = made();
  late.late_rank = 1;
  late.late_backward = 0.030;
  late.late_update = 0.015;
  expect_causes(late, {{LossPart::LateRanks, 45}, {LossPart::Wire, kLastWire}});
  late.transfer = {0.1, 0.1, 0.1};
  late.late_bucket = 0;
  expect_causes(late, {{LossPart::LateRanks, 45}, {LossPart::Queue, 160}, {LossPart::Wire, 100}});
}

TEST_P(InjectedCauses, SlowerComputeAndALateRank) {
  MadeSteps both = made();
  both.forward += 0.015;
  both.late_rank = 0;
  both.late_backward = 0.020;
  expect_causes(
      both,
      {{LossPart::SlowerCompute, 15}, {LossPart::LateRanks, 20}, {LossPart::Wire, kLastWire}});
}

TEST_P(InjectedCauses, AStarvedInputAndASlowLink) {
  MadeSteps both = made();
  both.input += 0.020;
  both.transfer = {0.1, 0.1, 0.1};
  expect_causes(both, {{LossPart::Input, 20}, {LossPart::Queue, 160}, {LossPart::Wire, 100}});
}

TEST_P(InjectedCauses, AnUpdateDuringATransferIsComputeAndNotWire) {
  MadeSteps hidden = made();
  hidden.transfer = {0.020, 0.020, 0.020};
  hidden.hidden_update = 0.015;
  expect_causes(hidden, {{LossPart::Wire, 5}});
}

// Ranks and servers. A fast rank waits for a late one in the next step, where it pulls values.
struct InjectedCausesWithServers : ::testing::TestWithParam<std::tuple<int, int>> {
  MadeSteps made() const {
    MadeSteps steps;
    steps.steps = 400;
    steps.input = 0;  // that of a fast rank hides behind a late one: a gain
    std::tie(steps.ranks, steps.servers) = GetParam();
    steps.update_strategy = "parameter_server";
    return steps;
  }
  bool has_several_servers() const { return std::get<1>(GetParam()) > 1; }
};

constexpr double kServerWire = 10;  // three pulls and the last push

TEST_P(InjectedCausesWithServers, NothingButTransfers) {
  expect_causes(made(), {{LossPart::Wire, kServerWire}});
}

TEST_P(InjectedCausesWithServers, ChanceIsChargedOnce) {
  expect_chance_charged_once(made(), kServerWire);
}

TEST_P(InjectedCausesWithServers, ARankThatIsAlwaysLate) {
  MadeSteps late = made();
  late.late_rank = 1;
  late.late_backward = 0.020;
  expect_causes(late, {{LossPart::LateRanks, 20}, {LossPart::Wire, kServerWire}});
}

TEST_P(InjectedCausesWithServers, ARankThatIsLateNowAndThen) {
  for (const int every : {2, 4}) {
    MadeSteps late = made();
    late.late_rank = 1;
    late.late_every = every;
    late.late_backward = 0.015 * every;
    expect_causes(late, {{LossPart::LateRanks, 15}, {LossPart::Wire, kServerWire}});
  }
}

// The late rank hides no pull, and ends last in the step after, too.
TEST_P(InjectedCausesWithServers, ARankThatIsLateNowAndThenWhileOthersPull) {
  MadeSteps late = made();
  late.pulls_in_order = true;
  late.late_rank = 1;
  late.late_every = 2;
  late.late_backward = 0.030;
  expect_causes(late, {{LossPart::LateRanks, 15}, {LossPart::Wire, kServerWire}});
  EXPECT_NEAR(ms(budget_of(late), LossPart::Between), 0, 0.1);
}

TEST_P(InjectedCausesWithServers, ARankThatIsLateNowAndThenAmongChance) {
  MadeSteps late = made();
  const double without = step_ms(late);
  late.noise = 0.7;
  late.late_rank = 1;
  late.late_backward = 0.060;
  late.late_every = 4;
  expect_causes(late,
                {{LossPart::LateRanks, step_ms(late) - without}, {LossPart::Wire, kServerWire}});
  EXPECT_EQ(budget_of(late).path.late.at(0).rank, 1);
}

TEST_P(InjectedCausesWithServers, AHotServerAndALateRankAmongChance) {
  MadeSteps both = made();
  both.hot = 0.020;
  const double without = step_ms(both);
  both.noise = 0.7;
  both.late_rank = 0;
  both.late_backward = 0.040;
  both.late_every = 2;
  const double late = step_ms(both) - without;
  if (has_several_servers()) {
    expect_causes(
        both,
        {{LossPart::LateRanks, late}, {LossPart::Servers, 20}, {LossPart::Wire, kServerWire}});
    EXPECT_EQ(budget_of(both).path.servers.at(0).server, 1);
  } else {  // it has all three variables, and cannot be told from the wire
    expect_causes(both, {{LossPart::LateRanks, late}, {LossPart::Wire, kServerWire + 60}});
  }
}

// One server, or two that are equally loaded: without their measurement this would be wire.
TEST_P(InjectedCausesWithServers, QueuesThatServersMeasure) {
  MadeSteps queued = made();
  queued.measured = true;
  expect_causes(queued, {{LossPart::Wire, kServerWire}});
  queued.queue = {0.004, 0.010, 0.006};
  expect_causes(queued, {{LossPart::Servers, 20}, {LossPart::Wire, kServerWire}});
  const std::vector<ServerWait> servers = budget_of(queued).path.servers;
  ASSERT_THAT(servers, SizeIs(static_cast<size_t>(queued.servers)));
  for (const ServerWait& each : servers) {
    const bool alone = !has_several_servers();
    EXPECT_NEAR(1e3 * each.seconds, alone ? 20 : 10, 2);
    EXPECT_EQ(each.variable, alone || each.server == 1 ? "variable1" : "variable2");
  }
}

// A fast rank waits at the server for the late one: that is no time of the server.
TEST_P(InjectedCausesWithServers, MeasuredQueuesAndALateRank) {
  for (const int every : {1, 2}) {
    MadeSteps both = made();
    both.measured = true;
    both.late_rank = 1;
    both.late_every = every;
    both.late_backward = 0.020 * every;
    expect_causes(both, {{LossPart::LateRanks, 20}, {LossPart::Wire, kServerWire}});
    both.queue = {0.004, 0.010, 0.006};
    expect_causes(
        both, {{LossPart::LateRanks, 20}, {LossPart::Servers, 20}, {LossPart::Wire, kServerWire}});
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, InjectedCausesWithServers,
                         ::testing::Combine(::testing::Values(2, 4), ::testing::Values(1, 2)));

INSTANTIATE_TEST_SUITE_P(Ranks, InjectedCauses, ::testing::Values(2, 4, 8));

}  // namespace
}  // namespace lockstep
