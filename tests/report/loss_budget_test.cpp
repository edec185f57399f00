#include "report/analysis/loss_budget.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>

#include "config/independent_twin.h"
#include "report/made_runs.h"
#include "report/made_steps.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

MadeSteps alone() {
  MadeSteps made;
  made.ranks = 1;
  return made;
}

LossBudget budget_of(const RunResult& result, const RunResult& base) {
  std::vector<StoredRun> runs;
  add_launch(runs, base);
  add_launch(runs, result);
  const auto budgets = loss_budgets(make_scaling(runs), runs);
  EXPECT_EQ(budgets.size(), 1u);
  return budgets.at(0);
}

LossBudget budget_of(const MadeSteps& made) {
  return budget_of(made_result(made), made_result(alone()));
}

double ms(const LossBudget& budget, LossPart part) {
  return 1e3 * budget.seconds[static_cast<size_t>(part)];
}

void expect_cause(const LossBudget& budget, LossPart part, double injected_ms) {
  EXPECT_NEAR(ms(budget, part), injected_ms, 0.2 * injected_ms);
  EXPECT_EQ(budget.largest(), part);
  for (size_t i = 0; i < kLossPartCount; ++i) {  // and nothing else is made up
    if (static_cast<LossPart>(i) == part || static_cast<LossPart>(i) == LossPart::Wire) continue;
    EXPECT_NEAR(1e3 * budget.seconds[i], 0, 0.2 * injected_ms) << kLossParts[i].name;
  }
}

TEST(LossBudget, PartsAddUpToTheLossOfTheScalingTable) {
  MadeSteps made;
  made.late_rank = 1;
  made.late_backward = 0.007;
  made.noise = 0.3;
  std::vector<StoredRun> runs;
  for (int launch = 0; launch < 3; ++launch) {
    made.input = 0.001 * (launch + 1);
    add_launch(runs, made_result(alone()), launch);
    add_launch(runs, made_result(made), launch);
  }
  const ScalingReport report = make_scaling(runs);
  const LossBudget budget = loss_budgets(report, runs).at(0);
  const double sum = std::accumulate(budget.seconds.begin(), budget.seconds.end(), 0.0);
  EXPECT_NEAR(sum, budget.step - budget.ideal_step, 1e-12);
  const ScalingPoint& point = report.series.front().points.back();
  EXPECT_NEAR(budget.efficiency.value, point.scaling_efficiency->value, 1e-9);
  double points = 0;
  for (size_t i = 0; i < kLossPartCount; ++i) points += budget.part(static_cast<LossPart>(i));
  EXPECT_NEAR(points, budget.lost(), 1e-12);
}

TEST(LossBudget, FindsASlowedRankItsLayersAndItsSize) {
  for (const int ranks : {2, 3, 4, 8}) {
    MadeSteps made;
    made.ranks = ranks;
    made.late_rank = ranks - 1;
    made.late_backward = 0.020;
    const LossBudget budget = budget_of(made);
    expect_cause(budget, LossPart::LateRanks, 20);
    ASSERT_THAT(budget.path.late, SizeIs(1));
    EXPECT_EQ(budget.path.late[0].rank, ranks - 1);
    EXPECT_EQ(budget.path.late[0].where, "backward of layer2");
    EXPECT_NEAR(budget.path.late[0].fraction, 1, 1e-9);
    EXPECT_NEAR(1e3 * budget.path.late[0].seconds, 20, 4);
  }
}

TEST(LossBudget, FindsAShapedLink) {
  MadeSteps made;
  made.transfer = {0.004, 0.004, 0.030};
  expect_cause(budget_of(made), LossPart::Wire, 30);
}

TEST(LossBudget, FindsBucketsThatWaitForEachOther) {
  MadeSteps made;
  made.transfer = {0.080, 0.004, 0.001};  // the last one is ready 40 ms after the first
  expect_cause(budget_of(made), LossPart::Queue, 44);
}

TEST(LossBudget, FindsAStarvedInputOfAllRanksAndOfOne) {
  MadeSteps made;
  made.input = 0.016;
  expect_cause(budget_of(made), LossPart::Input, 15);
  made = {};
  made.late_rank = 2;
  made.late_input = 0.015;
  expect_cause(budget_of(made), LossPart::Input, 15);
}

TEST(LossBudget, FindsComputeThatIsSlowerOnAllRanks) {
  MadeSteps made;
  made.forward = 0.045;
  expect_cause(budget_of(made), LossPart::SlowerCompute, 15);
}

TEST(LossBudget, FindsTimeBetweenSteps) {
  MadeSteps made;
  made.between = 0.016;
  expect_cause(budget_of(made), LossPart::Between, 15);
}

// A hot server: workers pull four variables before every step, and those of server 1 take longer.
// Rank 1 waits for images, and rank 0 for rank 1.
RunResult with_servers(double hot, double each_pull = 0.002, double starved = 0) {
  constexpr double kCompute = 0.080;
  MadeSteps made;
  made.ranks = 2;
  made.update_strategy = "parameter_server";
  std::vector<RankResult> ranks(2);
  for (int r = 0; r < 2; ++r) {
    double at = 0;
    ranks[r].rank = r;
    for (int step = 0; step < made.steps; ++step) {
      StepRecord record;
      record.begin = Seconds(at);
      const double input = r == 1 ? starved : 0;
      double now = at + input;
      std::vector<TransferRecord> push(4), pull(4);
      for (int v = 0; v < 4; ++v) {
        const double takes = each_pull + (v % 2 == 1 ? hot / 2 : 0);
        pull[v] = {Seconds(at + input), Seconds(now), Seconds(now + takes)};
        now += takes;
      }
      record.phase(Phase::Input) = Seconds(input);
      record.phase(Phase::Communication) = Seconds(now - at + (starved - 2 * input));
      record.phase(Phase::Forward) = record.phase(Phase::Backward) = Seconds(kCompute / 2);
      now += kCompute;
      for (int v = 0; v < 4; ++v)
        push[v] = {Seconds(now - 0.03), Seconds(now - 0.03), Seconds(now - 0.02)};
      now += starved - input;
      record.duration = Seconds(now - at);
      record.images = 8;
      ranks[r].steps.push_back(record);
      for (auto* list : {&push, &pull}) {
        ranks[r].transfers.insert(ranks[r].transfers.end(), list->begin(), list->end());
      }
      at = now;
    }
    ranks[r].total = Seconds(at);
  }
  made.transfer.clear();
  RunResult result = made_result(made, std::move(ranks));
  result.facts.servers = 2;
  for (const char* what : {"push", "pull"}) {
    for (int v = 0; v < 4; ++v) {
      const std::string name = "conv" + std::to_string(v);
      result.transfers.push_back(
          {.name = std::string(what) + " " + name, .bytes = 1000, .layers = name, .server = v % 2});
    }
  }
  result.path = critical_path_of(result);
  return result;
}

TEST(LossBudget, FindsAHotServerAndItsVariable) {
  const LossBudget budget = budget_of(with_servers(0.020), made_result(alone()));
  EXPECT_NEAR(ms(budget, LossPart::Servers), 20, 4);
  ASSERT_FALSE(budget.path.servers.empty());
  EXPECT_EQ(budget.path.servers[0].server, 1);
  EXPECT_THAT(budget.path.servers[0].variable, HasSubstr("conv"));
  EXPECT_NEAR(1e3 * budget.path.servers[0].seconds, 20, 4);
  EXPECT_NEAR(ms(budget, LossPart::Wire), 8, 2);
}

TEST(LossBudget, FindsAStarvedInputOfOneRankWithServers) {
  const LossBudget budget = budget_of(with_servers(0.020, 0.002, 0.010), made_result(alone()));
  EXPECT_NEAR(ms(budget, LossPart::Input), 9, 1) << "the base waits for 1 ms";
  EXPECT_NEAR(ms(budget, LossPart::Servers), 20, 4);
  EXPECT_NEAR(ms(budget, LossPart::Wire), 8, 2);
}

TEST(LossBudget, FindsAHotServerOnASlowLink) {
  const LossBudget budget = budget_of(with_servers(0.020, 0.010), made_result(alone()));
  EXPECT_NEAR(ms(budget, LossPart::Servers), 20, 4);
  EXPECT_NEAR(ms(budget, LossPart::Wire), 40, 8);
  EXPECT_EQ(budget.path.servers.at(0).server, 1);
}

TEST(LossBudget, SmallVariablesThatAreBoundByLatencyAreNoHotServer) {
  RunResult result = with_servers(0);
  for (Transfer& each : result.transfers) {
    if (each.layers != "conv0") each.bytes = 100;  // in the time of 1000
  }
  result.path = critical_path_of(result);
  const LossBudget budget = budget_of(result, made_result(alone()));
  EXPECT_NEAR(ms(budget, LossPart::Servers), 0, 0.1);
  EXPECT_NEAR(ms(budget, LossPart::Wire), 8, 1);
}

RunResult single_worker_that_waits() {
  MadeSteps made = alone();
  made.between = 0.009;
  made.update_strategy = "parameter_server";
  RunResult base = made_result(made);
  base.path->part(PathPart::Between) -= 0.008;  // it waited 8 ms for a server instead
  base.path->part(PathPart::Wire) += 0.008;
  return base;
}

TEST(LossBudget, ASingleWorkerThatWaitsForServersIsABaseLikeTheOthers) {
  const RunResult base = single_worker_that_waits();
  const LossBudget budget = budget_of(with_servers(0.020), base);
  EXPECT_NEAR(ms(budget, LossPart::Servers) + ms(budget, LossPart::Wire), 20, 1);
  EXPECT_GT(ms(budget, LossPart::Servers), ms(budget, LossPart::Wire));
  EXPECT_GT(ms(budget, LossPart::Wire), 0);
}

TEST(LossBudget, ASingleWorkerIsInNoQueueWhereServersMeasureTheirs) {
  const RunResult base = single_worker_that_waits();
  MadeSteps queued;
  queued.ranks = 2;
  queued.servers = 1;
  queued.measured = true;
  queued.update_strategy = "parameter_server";
  queued.queue = {0.004, 0.010, 0.006};
  const LossBudget budget = budget_of(made_result(queued), base);
  EXPECT_NEAR(ms(budget, LossPart::Servers), 20, 4);
  EXPECT_NEAR(ms(budget, LossPart::Wire), 10 - 8, 1);
  EXPECT_TRUE(budget.path.servers_measured);
}

TEST(LossBudget, ARunWithoutCommunicationTellsSlowComputeFromComputeBesideCommunication) {
  MadeSteps made, control;
  made.forward = 0.045;     // 15 ms more than alone,
  control.forward = 0.040;  // of which 10 also without communication
  control.transfer = {};
  RunResult quiet = made_result(control);
  const RunResult run = made_result(made);
  quiet.config = independent_twin(run.config);
  std::vector<StoredRun> runs;
  add_launch(runs, made_result(alone()));
  add_launch(runs, run);
  add_launch(runs, quiet, 0, /*control=*/true);
  const ScalingReport report = make_scaling(runs);
  EXPECT_THAT(report.configurations, SizeIs(2)) << "a control run is in no table";
  const LossBudget budget = loss_budgets(report, runs).at(0);
  EXPECT_EQ(budget.source, BudgetSource::Experiment);
  EXPECT_NEAR(ms(budget, LossPart::SlowerCompute), 10, 1);
  EXPECT_NEAR(ms(budget, LossPart::BesideCommunication), 5, 1);
}

// Rank 1 is late in every second launch, rank 0 in none.
TEST(LossBudget, LateRanksAreThoseOfAllLaunches) {
  std::vector<StoredRun> runs;
  for (int launch = 0; launch < 4; ++launch) {
    MadeSteps made;
    if (launch % 2 == 1) {
      made.late_rank = 1;
      made.late_backward = 0.020;
    }
    add_launch(runs, made_result(alone()), launch);
    add_launch(runs, made_result(made), launch);
  }
  const LossBudget budget = loss_budgets(make_scaling(runs), runs).at(0);
  EXPECT_NEAR(ms(budget, LossPart::LateRanks), 10, 1);
  ASSERT_THAT(budget.path.late, SizeIs(1));
  EXPECT_EQ(budget.path.late[0].rank, 1);
  EXPECT_NEAR(budget.path.late[0].fraction, 0.5, 1e-9);
  EXPECT_NEAR(1e3 * budget.path.late[0].seconds, 20, 2);
  EXPECT_EQ(budget.path.late[0].where, "backward of layer2");
}

RunResult control_of(const RunResult& run, double forward) {
  MadeSteps quiet;
  quiet.ranks = run.facts.devices;
  quiet.forward = forward;
  quiet.transfer = {};
  RunResult result = made_result(quiet);
  result.config = independent_twin(run.config);
  return result;
}

// Communication takes 5 ms from compute on 2 devices, 12 ms on 4; neighbours take 3 and 10 ms.
TEST(LossBudget, ABaseOfSeveralDevicesHasAControlRunOfItsOwn) {
  MadeSteps two, four;
  two.ranks = 2;
  two.forward = 0.038;
  four.forward = 0.052;
  const RunResult base = made_result(two), run = made_result(four);
  std::vector<StoredRun> runs;
  add_launch(runs, base);
  add_launch(runs, run);
  add_launch(runs, control_of(run, 0.040), 0, /*control=*/true);
  LossBudget budget = loss_budgets(make_scaling(runs), runs).at(1);
  EXPECT_EQ(budget.source, BudgetSource::Records) << "that of the base is missing";
  EXPECT_TRUE(budget.lacks_controls);
  add_launch(runs, control_of(base, 0.033), 0, /*control=*/true);
  budget = loss_budgets(make_scaling(runs), runs).at(1);
  EXPECT_EQ(budget.source, BudgetSource::Experiment);
  EXPECT_NEAR(ms(budget, LossPart::SlowerCompute), 7, 1);
  EXPECT_NEAR(ms(budget, LossPart::BesideCommunication), 7, 1);
  const double sum = std::accumulate(budget.seconds.begin(), budget.seconds.end(), 0.0);
  EXPECT_NEAR(sum, budget.step - budget.ideal_step, 1e-12);
}

TEST(LossBudget, AStepInAGraphHasNoPhases) {
  RunResult base = made_result(alone()), run = made_result(MadeSteps{});
  for (RunResult* each : {&base, &run}) {
    each->config.graph = true;
    each->path = critical_path_of(*each);
    EXPECT_FALSE(each->path);
  }
  EXPECT_EQ(budget_of(run, base).source, BudgetSource::Nothing);
}

TEST(LossBudget, IntervalsComeFromThreeLaunchesOrMore) {
  std::vector<StoredRun> runs;
  for (int launch = 0; launch < 3; ++launch) {
    MadeSteps made;
    made.transfer.back() = 0.010 + 0.001 * launch;
    add_launch(runs, made_result(alone()), launch);
    add_launch(runs, made_result(made), launch);
    const auto budget = loss_budgets(make_scaling(runs), runs).at(0);
    const auto interval = budget.part_95(LossPart::Wire);
    EXPECT_EQ(interval.has_value(), launch == 2);
    if (!interval) continue;
    EXPECT_LT(interval->low, budget.part(LossPart::Wire));
    EXPECT_GT(interval->high, budget.part(LossPart::Wire));
    EXPECT_NEAR((interval->high - interval->low) / 2 * budget.step, 4.303 * 0.001 / std::sqrt(3),
                1e-4);
  }
}

TEST(LossBudget, WithoutPhasesTheWholeLossIsUnknown) {
  std::vector<StoredRun> runs;
  add(runs, {.devices = 1, .rates = {100}});
  add(runs, {.devices = 2, .rates = {150}});
  for (StoredRun& run : runs) run.result.summary.mean_phases.fill(0);
  const LossBudget budget = loss_budgets(make_scaling(runs), runs).at(0);
  EXPECT_EQ(budget.source, BudgetSource::Nothing);
  EXPECT_NEAR(budget.part(LossPart::Unknown), 0.25, 1e-9);
  EXPECT_NEAR(budget.lost(), 0.25, 1e-9);
}

TEST(LossBudget, WithoutPathsWaitingIsWire) {
  std::vector<StoredRun> runs;
  add(runs, {.devices = 1, .rates = {100}});
  add(runs, {.devices = 2, .rates = {150}});
  runs[0].result.summary.mean_phases = {0, 0.4, 0.5, 0, 0.1};
  const LossBudget budget = loss_budgets(make_scaling(runs), runs).at(0);
  EXPECT_EQ(budget.source, BudgetSource::Phases);
  EXPECT_NEAR(budget.lost(), 0.25, 1e-9);
  EXPECT_NEAR(budget.part(LossPart::Wire), 0.2, 1e-9);
}

TEST(LossBudget, WithoutABaseOnlyWhatIsNotComputeCounts) {
  MadeSteps made;
  made.transfer = {0.004, 0.004, 0.030};
  std::vector<StoredRun> runs;
  add_launch(runs, made_result(made));
  const LossBudget budget = loss_budgets(make_scaling(runs), runs).at(0);
  EXPECT_FALSE(budget.base);
  EXPECT_NEAR(ms(budget, LossPart::Wire), 30, 1);
  EXPECT_EQ(ms(budget, LossPart::SlowerCompute), 0);
}

TEST(LossBudget, ABaseOfSeveralDevicesHasABudgetWithoutABase) {
  MadeSteps two, four;
  two.ranks = 2;
  two.transfer = four.transfer = {0.004, 0.004, 0.030};
  std::vector<StoredRun> runs;
  add_launch(runs, made_result(two));
  add_launch(runs, made_result(four));
  const auto budgets = loss_budgets(make_scaling(runs), runs);
  ASSERT_THAT(budgets, SizeIs(2));
  EXPECT_FALSE(budgets[0].base);
  EXPECT_NEAR(ms(budgets[0], LossPart::Wire), 30, 1);
  EXPECT_EQ(budgets[1].base, 0u);
  EXPECT_EQ(budgets[1].base_devices, 2);
  EXPECT_EQ(budgets[1].base_workers, 2);
}

TEST(LossBudget, PartsThatAreZeroOrNotNumbersAreNotUsed) {
  for (const double bad : {0.0, std::nan("")}) {
    std::vector<StoredRun> runs;
    add(runs, {.devices = 1, .rates = {100}});
    add(runs, {.devices = 2, .rates = {150}});
    for (StoredRun& run : runs) run.result.path.emplace().parts.fill(bad);
    const LossBudget budget = loss_budgets(make_scaling(runs), runs).at(0);
    EXPECT_EQ(budget.source, BudgetSource::Phases);
    EXPECT_NEAR(budget.lost(), 0.25, 1e-9);
  }
}

TEST(LossBudget, ABatchThatOnlyTheConfigurationKnowsMakesAStep) {
  std::vector<StoredRun> runs;
  add(runs, {.devices = 1, .rates = {100}});
  add(runs, {.devices = 2, .rates = {150}});
  for (StoredRun& run : runs) run.result.facts.batch_size = 0;
  const LossBudget budget = loss_budgets(make_scaling(runs), runs).at(0);
  EXPECT_NEAR(budget.step, 16.0 / 150, 1e-9);
  EXPECT_NEAR(budget.lost(), 0.25, 1e-9);
}

TEST(LossBudget, WithoutPhasesAndWithoutABaseThereIsNone) {
  std::vector<StoredRun> runs;
  add(runs, {.devices = 2, .rates = {150}});
  runs[0].result.summary.mean_phases.fill(std::nan(""));
  EXPECT_THAT(loss_budgets(make_scaling(runs), runs), IsEmpty());
}

}  // namespace
}  // namespace lockstep
