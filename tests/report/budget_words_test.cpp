#include "report/render/budget_words.h"

#include <gmock/gmock.h>

#include <fstream>

#include "base/text.h"
#include "report/analysis/budget_rules.h"
#include "report/made_runs.h"
#include "report/made_steps.h"
#include "report/render/budget_text.h"
#include "support/paths.h"

namespace lockstep {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

struct Explained {
  ScalingReport report;
  std::vector<StoredRun> runs;
  LossBudget budget;
  BudgetWords words;
};

Explained explained(const RunResult& result, const RunResult& base) {
  Explained made;
  add_launch(made.runs, base);
  add_launch(made.runs, result);
  made.report = make_scaling(made.runs);
  made.budget = loss_budgets(made.report, made.runs).back();
  made.words = words_on(made.budget, made.runs[made.budget.launch].result);
  return made;
}

Explained explained(const RunResult& result) {
  MadeSteps alone;
  alone.ranks = 1;
  return explained(result, made_result(alone));
}

Explained explained(const MadeSteps& made) { return explained(made_result(made)); }

// A step of 100 ms that lost 30 ms to one part.
BudgetWords words_on_a_loss(LossPart part, int threads, PathSummary path = {}) {
  LossBudget budget = {.base = 0,
                       .step = 0.100,
                       .ideal_step = 0.070,
                       .efficiency = {.value = 0.7, .interval_95 = {}}};
  budget.seconds[static_cast<size_t>(part)] = 0.030;
  budget.here.fill(0.030);
  budget.path = std::move(path);
  RunResult run;
  run.facts.threads = threads;
  run.facts.devices = 64;
  return words_on(budget, run);
}

TEST(BudgetWords, ALateRankIsNamedWithItsHostLayersAndShareOfSteps) {
  MadeSteps made;
  made.late_rank = 2;
  made.late_backward = 0.020;
  const BudgetWords words = explained(made).words;
  EXPECT_EQ(words.rule, "late-rank");
  EXPECT_THAT(words.verdict, HasSubstr(" late rank 2"));
  EXPECT_THAT(words.advice, StartsWith("Rank 2 (host2) was late in 100 % of steps, by 20.0 ms, in "
                                       "backward of layer2."));
}

TEST(BudgetWords, RanksThatAreLateInTurnAreJitter) {
  MadeSteps made;
  made.noise = 1;
  made.steps = 200;
  const BudgetWords words = explained(made).words;
  EXPECT_EQ(words.rule, "jitter");
  EXPECT_THAT(words.verdict, HasSubstr(" late ranks"));
}

TEST(BudgetWords, ALongLastBucketIsWireAndASlowLinkAQueue) {
  MadeSteps made;
  made.transfer = {0.004, 0.004, 0.030};
  const BudgetWords wire = explained(made).words;
  EXPECT_EQ(wire.rule, "wire");
  EXPECT_THAT(wire.advice, AllOf(HasSubstr("The last bucket (1.0 MB) is under way for 30.0 ms"),
                                 HasSubstr("--gradient-compression fp16")));
  made.transfer = {0.080, 0.004, 0.001};
  const BudgetWords queue = explained(made).words;
  EXPECT_EQ(queue.rule, "queue");
  EXPECT_THAT(queue.advice, HasSubstr("3.1 MB take 85.0 ms"));
}

// As where computing threads leave the one that communicates no core. One bucket waits for no
// other.
TEST(BudgetWords, ABucketThatBeginsLateDoesNotWaitForOthers) {
  MadeSteps made;
  made.backward = {0.060};
  made.transfer = {0.001};
  made.late_bucket = 0;
  made.wake_up = 0.015;
  const BudgetWords words = explained(made).words;
  EXPECT_EQ(words.rule, "late-start");
  EXPECT_THAT(words.advice, AllOf(HasSubstr("begins 15.0 ms after its gradients are ready"),
                                  HasSubstr("take only 1.0 ms"), Not(HasSubstr("compression"))));
}

TEST(BudgetWords, CompressedGradientsNeedNoAdviceToCompress) {
  MadeSteps made;
  made.transfer = {0.004, 0.004, 0.030};
  RunResult result = made_result(made);
  result.config.gradient_compression = "bf16";
  std::vector<StoredRun> runs;
  add_launch(runs, result);
  const LossBudget budget = loss_budgets(make_scaling(runs), runs).at(0);
  EXPECT_THAT(words_on(budget, runs[0].result).advice, Not(HasSubstr("compression")));
}

TEST(BudgetWords, SlowerComputeIsToldByWhatTheWorkersShare) {
  MadeSteps made;
  made.forward = 0.050;
  RunResult result = made_result(made);
  EXPECT_EQ(explained(result).words.rule, "shared-memory");
  EXPECT_THAT(explained(result).words.advice,
              HasSubstr("4 workers on one host share memory bandwidth and caches. A larger batch "
                        "will not help"));
  result.facts.threads = 2;
  result.facts.cores_here = 4;
  EXPECT_EQ(explained(result).words.rule, "oversubscribed");
  EXPECT_THAT(explained(result).words.advice,
              HasSubstr("4 workers with 2 threads each share 4 cores; try --threads 1"));
  result.host.load = 90;
  EXPECT_EQ(explained(result).words.rule, "busy");
  EXPECT_THAT(explained(result).words.advice, HasSubstr("load average 90.0 before the launch"));
  result.stolen_cpu_fraction = 0.05;
  EXPECT_EQ(explained(result).words.rule, "busy") << "5 % stolen do not explain 17 points";
  result.stolen_cpu_fraction = 0.12;
  EXPECT_EQ(explained(result).words.rule, "stolen");
  result = made_result(made);
  result.facts.workers_here = 1;
  EXPECT_EQ(explained(result).words.rule, "hosts");
}

// Two hosts with four workers each, and one such host.
TEST(BudgetWords, WhatWorkersShareInTheBaseTooMakesThemNoSlower) {
  MadeSteps one, two;
  two.ranks = 8;
  two.forward = 0.050;
  RunResult base = made_result(one), run = made_result(two);
  base.facts.workers_here = run.facts.workers_here = 4;
  EXPECT_EQ(explained(run, base).words.rule, "hosts");
  EXPECT_THAT(
      explained(run, base).words.advice,
      StartsWith("Compute is slower although a host has no more workers than in the base."));
  base.facts.cores_here = run.facts.cores_here = 2;
  EXPECT_EQ(explained(run, base).words.rule, "hosts") << "and are oversubscribed there";
  run.facts.threads = 2;
  EXPECT_EQ(explained(run, base).words.rule, "oversubscribed");
  run.facts.threads = 1;
  run.facts.workers_here = 8;
  EXPECT_EQ(explained(run, base).words.rule, "oversubscribed");
  base.facts.cores_here = run.facts.cores_here = 64;
  EXPECT_EQ(explained(run, base).words.rule, "shared-memory");
}

TEST(BudgetWords, ABaseOfSeveralDevicesIsNamed) {
  MadeSteps two, four;
  two.ranks = 2;
  four.transfer = {0.004, 0.004, 0.020};
  EXPECT_THAT(explained(made_result(four), made_result(two)).words.verdict,
              StartsWith("86.0 % against 2 devices (lost 14.0 points: 14.0 wire)"));
  EXPECT_THAT(explained(four).words.verdict, Not(HasSubstr("against")));
}

TEST(BudgetWords, OnGpusNobodySharesCachesAndAThrottledOneIsNamed) {
  MadeSteps made;
  made.forward = 0.050;
  const Explained it = explained(made);
  RunResult run = it.runs[it.budget.launch].result;
  run.config.device = "gpu";
  run.facts.threads = 64;
  EXPECT_EQ(words_on(it.budget, run).rule, "gpus");
  EXPECT_THAT(words_on(it.budget, run).advice, Not(HasSubstr("--threads")));
  run.gpus = {{.rank = 0, .host = "a"}, {.rank = 3, .host = "b", .throttled = {"power limit"}}};
  EXPECT_EQ(words_on(it.budget, run).rule, "throttled");
  EXPECT_THAT(words_on(it.budget, run).advice,
              StartsWith("The GPU of rank 3 (b) was throttled (power limit)."));
}

TEST(BudgetWords, ALossWithinItsErrorHasNoCause) {
  LossBudget budget = {.base = 0,
                       .step = 0.100,
                       .ideal_step = 0.094,
                       .efficiency = {.value = 0.94, .interval_95 = Interval{0.80, 1.10}}};
  budget.seconds[static_cast<size_t>(LossPart::Wire)] = 0.006;
  BudgetWords words = words_on(budget, {});
  EXPECT_EQ(words.rule, "noise");
  EXPECT_THAT(words.advice, StartsWith("The loss cannot be told from noise"));
  EXPECT_EQ(words.verdict, "94.0 ± 15.0 % (lost 6.0 points: 6.0 wire)");
  budget.efficiency.interval_95 = Interval{0.92, 0.96};
  EXPECT_EQ(words_on(budget, {}).rule, "wire");
  budget.seconds[static_cast<size_t>(LossPart::Wire)] = 0.0005;
  budget.efficiency = {.value = 0.995, .interval_95 = Interval{0.985, 1.005}};
  EXPECT_EQ(words_on(budget, {}).rule, "little") << "known well, and it is next to nothing";
  budget.efficiency = {.value = 1.05, .interval_95 = Interval{0.99, 1.11}};
  EXPECT_EQ(words_on(budget, {}).rule, "noise") << "nor is a gain";
}

TEST(BudgetWords, APartThatIsCertainIsNamedInALossThatIsNot) {
  LossBudget budget = {.base = 0,
                       .step = 0.100,
                       .ideal_step = 0.094,
                       .efficiency = {.value = 0.94, .interval_95 = Interval{0.80, 1.10}}};
  const auto wire = static_cast<size_t>(LossPart::Wire);
  budget.seconds[wire] = 0.006;
  budget.seconds_95[wire] = Interval{0.005, 0.007};
  EXPECT_EQ(words_on(budget, {}).rule, "wire");
  budget.seconds_95[wire] = Interval{-0.002, 0.014};
  EXPECT_EQ(words_on(budget, {}).rule, "noise");
}

TEST(BudgetWords, PartsThatCancelEachOtherAreNotLittle) {
  LossBudget budget = {
      .base = 0, .step = 0.1, .ideal_step = 0.1, .efficiency = {.value = 1, .interval_95 = {}}};
  budget.seconds[static_cast<size_t>(LossPart::Wire)] = 0.010;
  budget.seconds[static_cast<size_t>(LossPart::SlowerCompute)] = -0.010;
  EXPECT_EQ(words_on(budget, {}).rule, "wire");
  budget.efficiency.value = 1.01;
  EXPECT_EQ(words_on(budget, {}).rule, "wire");
}

TEST(BudgetWords, WithoutABaseNobodyIsToldThatComputeIsFast) {
  MadeSteps made;
  made.transfer = {0.0001, 0.0001, 0.0001};
  made.input = made.between = 0;
  std::vector<StoredRun> runs;
  add_launch(runs, made_result(made));
  const LossBudget budget = loss_budgets(make_scaling(runs), runs).at(0);
  EXPECT_EQ(words_on(budget, runs[0].result).rule, "no-base");
  EXPECT_THAT(words_on(budget, runs[0].result).advice, HasSubstr("is not known; lockstep sweep"));
}

TEST(BudgetWords, ADeviceWithFewerThreadsThanThatOfTheBaseIsNoCauseOfItsOwn) {
  MadeSteps made;
  made.forward = 0.090;
  Explained it = explained(made);
  it.budget.base_threads = 2;
  const BudgetWords words = words_on(it.budget, it.runs[it.budget.launch].result);
  EXPECT_EQ(words.rule, "threads");
  EXPECT_EQ(
      words.advice,
      "A device of the base had 2 threads, one of this run 1. Measure both with --threads 1.");
}

TEST(BudgetWords, ARankThatIsLateAloneIsNamedThoughItIsNotAlwaysLate) {
  PathSummary path;
  path.part(PathPart::Late) = 0.030;
  path.late = {{.rank = 1, .fraction = 0.6, .seconds = 0.050}};
  LossBudget budget = {
      .base = 0, .step = 0.1, .ideal_step = 0.07, .efficiency = {.value = 0.7, .interval_95 = {}}};
  budget.seconds[static_cast<size_t>(LossPart::LateRanks)] = 0.030;
  budget.path = path;
  RunResult run;
  run.facts.devices = 2;
  EXPECT_EQ(words_on(budget, run).rule, "late-rank");
  budget.path.late = {{.rank = 1, .fraction = 0.6, .seconds = 0.030},
                      {.rank = 0, .fraction = 0.4, .seconds = 0.030}};
  EXPECT_EQ(words_on(budget, run).rule, "jitter");
}

TEST(BudgetWords, NobodyIsToldToRunAgainWhatFailed) {
  LossBudget budget = {.base = 0, .step = 0.1, .ideal_step = 0.09, .source = BudgetSource::Records};
  RunResult run;
  run.facts.devices = 2;
  EXPECT_THAT(words_on(budget, run).basis, HasSubstr("sweep --explain"));
  budget.lacks_controls = true;
  EXPECT_THAT(words_on(budget, run).basis,
              AllOf(Not(HasSubstr("--explain")), HasSubstr("without communication failed")));
}

TEST(BudgetWords, WorkersOfOneThreadAreNotToldToUseOne) {
  MadeSteps made;
  made.forward = 0.050;
  RunResult result = made_result(made);
  result.facts.cores_here = 2;
  EXPECT_THAT(explained(result).words.advice,
              StartsWith("4 workers with 1 thread each share 2 cores; try fewer devices."));
}

TEST(BudgetWords, OneOfManyRanksThatIsLateATenthOfTheTimeIsJitter) {
  PathSummary path;
  path.part(PathPart::Late) = 0.030;  // of 64 ranks, of which a few are named
  path.late = {{.rank = 7, .fraction = 0.1, .seconds = 0.030}, {.rank = 9, .fraction = 0.01}};
  EXPECT_EQ(words_on_a_loss(LossPart::LateRanks, 1, path).rule, "jitter");
  path.late[0].fraction = 0.6;
  EXPECT_EQ(words_on_a_loss(LossPart::LateRanks, 1, path).rule, "late-rank");
}

TEST(BudgetWords, AFrameworkIsNotAdvisedToUseOptionsItDoesNotHave) {
  MadeSteps made;
  made.transfer = {0.004, 0.004, 0.030};
  RunResult result = made_result(made);
  result.config.framework = "pytorch";
  result.path->last_bytes = 0;  // it tells nothing about its buckets
  std::vector<StoredRun> runs;
  add_launch(runs, result);
  const LossBudget budget = loss_budgets(make_scaling(runs), runs).at(0);
  const BudgetWords words = words_on(budget, runs[0].result);
  EXPECT_THAT(words.advice, Not(HasSubstr("--gradient-compression")));
  EXPECT_THAT(words.advice, Not(HasSubstr("--bucket-mb")));
  EXPECT_THAT(words.basis, Not(HasSubstr("--explain")));
}

TEST(BudgetWords, EveryRuleIsInTheDocumentationInTheSameOrder) {
  std::ifstream file(project_path("docs/measuring.md"));
  const std::string page(std::istreambuf_iterator<char>(file), {});
  std::vector<std::string> listed, known;
  const std::string table = page.substr(page.find("| rule | condition |"));
  for (const std::string& line : split(table.substr(0, table.find("\n\n")), '\n')) {
    if (line.starts_with("| `")) listed.push_back(line.substr(3, line.find('`', 3) - 3));
  }
  for (const BudgetRule& rule : budget_rules()) known.emplace_back(rule.name);
  EXPECT_EQ(listed, known);
}

TEST(BudgetWords, InputAndTimeBetweenStepsHaveTheirRules) {
  MadeSteps made;
  made.input = 0.030;
  EXPECT_EQ(explained(made).words.rule, "input");
  EXPECT_THAT(explained(made).words.advice, StartsWith("Steps wait 30.0 ms for images."));
  made = {};
  made.between = 0.030;
  EXPECT_EQ(explained(made).words.rule, "between-steps");
}

TEST(BudgetWords, ComputeBesideCommunicationIsToldWhereACoreCanComeFrom) {
  const BudgetWords several = words_on_a_loss(LossPart::BesideCommunication, 4);
  EXPECT_EQ(several.rule, "beside-communication");
  EXPECT_THAT(several.advice, HasSubstr("Try --threads 3,"));
  EXPECT_THAT(words_on_a_loss(LossPart::BesideCommunication, 1).advice,
              HasSubstr("Try fewer workers per host,"));
}

TEST(BudgetWords, AHotServerIsNamedWithItsVariable) {
  PathSummary path;
  path.servers = {{.server = 1, .variable = "fc6/weights", .seconds = 0.030}};
  const BudgetWords named = words_on_a_loss(LossPart::Servers, 1, path);
  EXPECT_EQ(named.rule, "servers");
  EXPECT_THAT(named.advice, HasSubstr("wait 30.0 ms per step for parameter servers, most for "
                                      "server 1 (fc6/weights)."));
  EXPECT_THAT(words_on_a_loss(LossPart::Servers, 1).advice, HasSubstr("servers, all alike."));
}

TEST(BudgetWords, AServerThatCannotBeToldFromTheWireIsNamedWithIt) {
  LossBudget budget = {
      .base = 0, .step = 0.1, .ideal_step = 0.07, .efficiency = {.value = 0.7, .interval_95 = {}}};
  budget.seconds[static_cast<size_t>(LossPart::Wire)] = 0.030;
  budget.here[static_cast<size_t>(PathPart::Wire)] = 0.030;
  RunResult run;
  run.facts.servers = 1;
  const BudgetWords words = words_on(budget, run);
  EXPECT_EQ(words.rule, "wire-and-servers");
  EXPECT_THAT(words.verdict, HasSubstr("30.0 wire and servers"));
  EXPECT_THAT(words.advice, AllOf(HasSubstr("for 1 parameter server."), HasSubstr("--num-ps")));
  budget.path.part(PathPart::Servers) = 0.010;
  EXPECT_EQ(words_on(budget, run).rule, "wire");
  budget.path.part(PathPart::Servers) = 0;
  budget.path.servers_measured = true;
  EXPECT_EQ(words_on(budget, run).rule, "wire");
  EXPECT_THAT(words_on(budget, run).verdict, HasSubstr("30.0 wire)"));
}

TEST(BudgetWords, WithoutPhasesNoCauseIsClaimed) {
  const BudgetWords words = words_on_a_loss(LossPart::Unknown, 1);
  EXPECT_EQ(words.rule, "unknown");
  EXPECT_THAT(words.verdict, HasSubstr("30.0 not reported"));
  EXPECT_THAT(words.advice, HasSubstr("the loss cannot be split"));
}

TEST(BudgetWords, ALittleLossAsksForNothing) {
  MadeSteps made;
  made.transfer = {0.0001, 0.0001, 0.0001};
  EXPECT_EQ(explained(made).words.rule, "little");
  made.forward = 0.025;
  EXPECT_EQ(explained(made).words.rule, "faster");
  EXPECT_THAT(explained(made).words.verdict, HasSubstr("gained"));
}

TEST(BudgetText, TheVerdictAddsUpAndNamesTheSubject) {
  MadeSteps made;
  made.transfer = {0.004, 0.004, 0.020};
  const Explained it = explained(made);
  const std::string text = budget_answers(it.report, std::span(&it.budget, 1), it.runs);
  EXPECT_THAT(text, StartsWith("alexnet:8 on 4 devices: 82.5 % (lost 17.5 points: 17.5 wire)\n"));
  EXPECT_THAT(explanation(it.report, std::span(&it.budget, 1), it.runs),
              AllOf(HasSubstr("step 114.00 ms, ideal 94.00 ms"), HasSubstr("wire")));
}

TEST(BudgetText, EnginesAreNamedIfThereAreSeveral) {
  MadeSteps made;
  made.transfer = {0.004, 0.004, 0.020};
  RunResult other = made_result(made);
  other.config.framework = "pytorch";
  std::vector<StoredRun> runs;
  add_launch(runs, made_result(made));
  add_launch(runs, other);
  const ScalingReport report = make_scaling(runs);
  EXPECT_THAT(budget_answers(report, loss_budgets(report, runs), runs),
              AllOf(HasSubstr("alexnet:8 on 4 devices, native: "),
                    HasSubstr("alexnet:8 on 4 devices, pytorch: ")));
}

TEST(BudgetText, ASweepSaysHowManyAnswersItLeavesOut) {
  MadeSteps made;
  std::vector<StoredRun> runs;
  for (const char* framework : {"jax", "pytorch", "mxnet"}) {
    RunResult result = made_result(made);
    result.config.framework = framework;
    add_launch(runs, result);
  }
  const ScalingReport report = make_scaling(runs);
  const auto budgets = loss_budgets(report, runs);
  EXPECT_THAT(budget_answers(report, budgets, runs, 1),
              HasSubstr("]\nnot listed: 2 configurations; lockstep explain has all\n"));
  EXPECT_THAT(budget_markdown(report, budgets, runs),
              StartsWith("- alexnet:8 on 4 devices, jax: 93.9 % of a step computes (lost"));
}

TEST(BudgetText, AGainIsNotCalledALoss) {
  MadeSteps made;
  made.forward = 0.010;
  EXPECT_THAT(explained(made).words.verdict,
              HasSubstr("(gained 20.5 points: 25.6 faster compute; lost 5.1 wire)"));
}

TEST(BudgetText, OfAStepWithoutTimeTheBarIsWhole) { EXPECT_EQ(budget_bar({}, 10), "##########"); }

TEST(BudgetText, TheBarHasALetterForEveryPartInProportion) {
  MadeSteps made;
  made.transfer = {0.004, 0.004, 0.020};
  const std::string bar = budget_bar(explained(made).budget, 100);
  EXPECT_EQ(bar.size(), 100u);
  EXPECT_EQ(std::ranges::count(bar, '#'), 82);
  EXPECT_EQ(std::ranges::count(bar, 'w'), 18);
}

TEST(BudgetText, ASingleRunSaysHowMuchOfItsStepComputes) {
  MadeSteps made;
  made.transfer = {0.004, 0.004, 0.020};
  const auto lines = why_lines(made_result(made));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(lines[0], HasSubstr("17.5 wire"));
  made.ranks = 1;
  EXPECT_THAT(why_lines(made_result(made)), IsEmpty());
}

}  // namespace
}  // namespace lockstep
