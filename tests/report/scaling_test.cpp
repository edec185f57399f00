#include "report/analysis/scaling.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "config/run_id.h"
#include "report/made_runs.h"
#include "report/render/best_text.h"
#include "report/render/configuration_rows.h"
#include "report/render/regressions_text.h"
#include "report/render/scaling_charts.h"
#include "report/render/scaling_text.h"

namespace lockstep {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(Scaling, ASeriesOverHostsIsTheSameRunOnMoreHosts) {
  std::vector<StoredRun> runs;
  for (const int per_host : {1, 2}) {
    for (const int hosts : {1, 2, 4}) {
      add(runs, {.devices = per_host * hosts, .rates = {100.0 * per_host * hosts}});
      RunConfig& config = runs.back().result.config;
      config.num_devices = per_host;
      config.nodes = hosts;
      runs.back().id = run_id(config);
    }
  }
  const ScalingReport report = make_scaling(runs);
  ASSERT_EQ(report.series.size(), 2u);
  for (const Series& series : report.series) {
    ASSERT_EQ(series.points.size(), 3u);
    EXPECT_NEAR(series.points[2].speed_up->value, 4, 1e-9);
    EXPECT_NEAR(series.points[2].scaling_efficiency->value, 1, 1e-9);
    EXPECT_THAT(series.label, HasSubstr("num-devices="));
    EXPECT_THAT(series.label, Not(HasSubstr("nodes=")));
  }
}

TEST(Scaling, SpeedUpAndEfficiencyAreRelativeToTheFewestDevices) {
  const ScalingReport report = make_scaling(two_curves());
  ASSERT_EQ(report.series.size(), 2u);
  const Series& servers = report.series[1].points.size() == 2 ? report.series[1] : report.series[0];
  const Series& reduce = &servers == &report.series[0] ? report.series[1] : report.series[0];
  ASSERT_EQ(reduce.points.size(), 3u);
  EXPECT_EQ(reduce.points[0].devices, 1);
  EXPECT_DOUBLE_EQ(reduce.points[0].speed_up->value, 1);
  EXPECT_NEAR(reduce.points[2].speed_up->value, 3.2, 0.001);
  EXPECT_NEAR(reduce.points[2].scaling_efficiency->value, 0.8, 0.001);
  const Interval interval = *reduce.points[2].scaling_efficiency->interval_95;
  EXPECT_LT(interval.low, 0.8);
  EXPECT_GT(interval.high, 0.8);
  EXPECT_GT(interval.low, 0.77);
  EXPECT_THAT(report.base_notes, Contains(HasSubstr("relative to 1 device of the same series")));
  EXPECT_THAT(servers.label, HasSubstr("variable-update=parameter_server"));
}

TEST(Scaling, PhasesAreMeansOverLaunches) {
  const ScalingReport report = make_scaling(two_curves());
  EXPECT_NEAR(report.configurations[0].exposed_fraction().value_or(0), 0.2, 1e-12);
}

TEST(Scaling, TimeOfUnknownPhasesIsTheRest) {
  std::vector<StoredRun> runs;
  add(runs, {.devices = 2, .rates = {190, 191, 189}});
  for (StoredRun& run : runs) {
    run.result.summary.mean_phases.fill(std::numeric_limits<double>::quiet_NaN());
    run.result.summary.mean_phases[static_cast<size_t>(Phase::Between)] = 1e-6;
  }
  const Configuration configuration = make_scaling(runs).configurations[0];
  EXPECT_FALSE(configuration.exposed_fraction());
  EXPECT_EQ(configuration.phases_and_rest().front(), 0);
  EXPECT_NEAR(configuration.phases_and_rest().back(), configuration.mean_step - 1e-6, 1e-12);
}

// What the summary of several workers said before it was the throughput.
TEST(Scaling, AnOldResultCountsByItsThroughputToo) {
  std::vector<StoredRun> runs;
  add(runs, {.devices = 2, .rates = {190, 191, 189}});
  for (StoredRun& run : runs) run.result.summary.images_per_second = 170;
  EXPECT_NEAR(make_scaling(runs).configurations[0].speed->images_per_second, 190, 0.1);
}

TEST(Scaling, AWarningAboutSeveralConfigurationsIsOneLine) {
  std::vector<StoredRun> runs;
  for (const int devices : {1, 2}) add(runs, {.devices = devices, .rates = {100}});
  EXPECT_THAT(scaling_table(make_scaling(runs)), HasSubstr("note: all configurations: 1 launch: "));
  add(runs, {.devices = 4, .rates = {100, 101, 99}});
  EXPECT_THAT(scaling_table(make_scaling(runs)),
              HasSubstr("note: alexnet:8 x1 native, alexnet:8 x2 native: 1 launch: "));
}

// The directory tells which data set it holds, the network which one it is for.
TEST(Scaling, TheCostOfRealDataIsRelativeToSyntheticImages) {
  std::vector<StoredRun> runs, real;
  add(runs, {.rates = {100, 101, 99}});
  add(real, {.rates = {80, 81, 79}});
  for (StoredRun& run : real) {
    run.result.config.data_dir = "d";
    run.result.config.data_name = "imagenet";
    run.id = run_id(run.result.config);
    runs.push_back(run);
  }
  for (StoredRun& run : runs) run.result.facts.dataset = "imagenet";
  const ScalingReport report = make_scaling(runs);
  EXPECT_THAT(scaling_table(report), HasSubstr("cost of real data % (95 %)"));
  const auto found = std::ranges::find_if(report.configurations,
                                          [](auto& each) { return !each.config.data_dir.empty(); });
  ASSERT_TRUE(found->data_cost.has_value());
  EXPECT_NEAR(found->data_cost->value, 0.2, 0.001);
  ASSERT_TRUE(found->data_cost->interval_95.has_value());
  EXPECT_LT(found->data_cost->interval_95->low, 0.2);
  EXPECT_GT(found->data_cost->interval_95->high, 0.2);
  for (StoredRun& run : real) run.result.facts.dataset = "cifar10";
  real.insert(real.end(), runs.begin(), runs.begin() + 3);
  EXPECT_THAT(scaling_table(make_scaling(real)), Not(HasSubstr("cost of real data")));
}

TEST(Scaling, CommonSettingsAreListedOnce) {
  std::vector<StoredRun> runs;
  for (const int devices : {1, 2}) {
    add(runs, {.devices = devices, .update = "parameter_server"});
  }
  const ScalingReport report = make_scaling(runs);
  EXPECT_THAT(report.notes, ElementsAre("in all runs: variable-update=parameter_server"));
  for (const std::string& text : {scaling_table(report), scaling_markdown(report)}) {
    EXPECT_THAT(text, HasSubstr("in all runs: variable-update=parameter_server"));
  }
  EXPECT_THAT(make_scaling(two_curves()).notes, IsEmpty()) << "it differs there";
}

TEST(Scaling, ATableOfCandidatesHasNoSpeedUp) {
  const ScalingReport report = make_scaling(two_curves());
  const std::string table = scaling_table(report, TableOf::Speeds);
  EXPECT_THAT(table, HasSubstr("images/sec"));
  for (const char* word : {"speed-up", "scaling efficiency"}) {
    EXPECT_THAT(table, Not(HasSubstr(word)));
    EXPECT_THAT(scaling_table(report), HasSubstr(word));
  }
}

// Two launches far apart, a single one, one of a program that tells only a throughput, a failed
// one, and launches that differ wildly.
std::vector<StoredRun> odd_runs() {
  std::vector<StoredRun> runs;
  add(runs, {.devices = 1, .rates = {100, 10}});
  add(runs, {.devices = 2, .rates = {200}});
  add(runs, {.devices = 4, .rates = {300}});
  add(runs, {.devices = 8, .rates = {1, 1000, 1e6}});
  add(runs, {.devices = 16, .rates = {std::nan("")}});
  RunResult& program = runs[3].result;
  program.summary = {};
  program.summary.images_per_second_95 = {.low = std::nan(""), .high = std::nan("")};
  runs.back().result.error = "it broke";
  return runs;
}

TEST(Scaling, ANameInANoteIsNoHtmlInMarkdown) {
  const std::vector<StoredRun> runs = two_curves();
  ScalingReport report = make_scaling(runs);
  report.notes = {"ran on <img src=x>"};
  EXPECT_THAT(scaling_markdown(report), HasSubstr("- ran on &lt;img src=x>\n"));
}

TEST(Scaling, NothingIsEverInfiniteOrNotANumber) {
  const std::vector<StoredRun> runs = odd_runs();
  const ScalingReport report = make_scaling(runs);
  std::vector<std::string> texts = {scaling_table(report), scaling_markdown(report),
                                    best_table(report, best_of(report, runs))};
  for (const auto& files : {scaling_csv(report), scaling_charts(report)}) {
    for (const ReportFile& each : files) texts.push_back(each.text);
  }
  for (const std::string& text : texts) {
    EXPECT_THAT(text, Not(::testing::ContainsRegex("[^a-z](inf|nan)[^a-z]"))) << text;
  }
  EXPECT_THAT(texts[0], HasSubstr("2 launches: a confidence interval needs at least 3"));
  EXPECT_THAT(texts[0], HasSubstr("not reported"));
}

TEST(Scaling, IfEverythingFailedThereIsATableButNoChart) {
  std::vector<StoredRun> runs;
  add(runs, {.rates = {100}});
  runs[0].result.error = "it broke";
  runs[0].last_lines = {"no such data set"};
  const ScalingReport report = make_scaling(runs);
  EXPECT_THAT(scaling_charts(report), IsEmpty());
  EXPECT_THAT(scaling_csv(report), IsEmpty());
  EXPECT_THAT(scaling_table(report), HasSubstr("failed: it broke"));
  EXPECT_THAT(report.configurations[0].last_lines, ElementsAre("no such data set"));
}

TEST(Scaling, AFailedRunIsARowWithoutNumbers) {
  std::vector<StoredRun> runs = two_curves();
  StoredRun failed = runs[0];
  failed.result.config.num_devices = 8;
  failed.id = run_id(failed.result.config);
  failed.result.status = RunStatus::Failed;
  failed.result.error = "it | broke";
  runs.push_back(failed);
  const ScalingReport report = make_scaling(runs);
  EXPECT_THAT(scaling_table(report), HasSubstr("failed: it | broke"));
  EXPECT_THAT(scaling_markdown(report), HasSubstr("failed: it \\| broke"));
  EXPECT_EQ(report.series[0].points.size() + report.series[1].points.size(), 5u);
}

TEST(ScalingTable, WhatAFrameworkLacksIsARowWithTheReasonAndNoFailure) {
  std::vector<StoredRun> runs = two_curves();
  StoredRun skipped = runs[0];
  skipped.result.config.framework = "pytorch";
  skipped.id = run_id(skipped.result.config);
  skipped.result.status = RunStatus::Skipped;
  skipped.result.error = "no servers";
  runs.push_back(skipped);
  const ScalingReport report = make_scaling(runs);
  EXPECT_THAT(scaling_table(report), HasSubstr("skipped: no servers"));
  EXPECT_THAT(configurations_csv(report), HasSubstr("skipped"));
  for (const Configuration& each : report.configurations) EXPECT_EQ(each.failed, 0);
}

TEST(Scaling, ALaunchWithoutASpeedIsAFailureThatSaysSo) {
  std::vector<StoredRun> runs, older;
  add(runs, {.rates = {100, 101, -5, 99}});
  EXPECT_THAT(scaling_table(make_scaling(runs)),
              HasSubstr("1 launch failed (nothing was measured: -5 images/sec)"));
  add(older, {.rates = {100, 101, 99, 100.5}});
  runs.erase(runs.begin(), runs.begin() + 2);
  runs.resize(1);
  const RunCollection now = {.runs = runs, .directories = {"."}};
  const RunCollection before = {.runs = older, .directories = {".", ".", ".", "."}};
  EXPECT_TRUE(against_baseline(before, now, GateRules{}).regressed());
}

TEST(Scaling, AFailedLaunchThatWasRepeatedWithSuccessIsNoFailure) {
  std::vector<StoredRun> runs;
  add(runs, {.rates = {100, 101, 99}});
  StoredRun failed = runs[1];
  failed.result.status = RunStatus::Failed;
  failed.result.error = "it broke";
  runs.insert(runs.begin(), failed);
  EXPECT_EQ(make_scaling(runs).configurations[0].failed, 0);
  EXPECT_EQ(make_scaling(runs).configurations[0].launches.size(), 3u);
  runs[0].repeat = 3;  // another launch, which nobody repeated
  EXPECT_EQ(make_scaling(runs).configurations[0].failed, 1);
}

TEST(Scaling, ALaunchThatFailedAgainIsOneFailure) {
  std::vector<StoredRun> runs;
  add(runs, {.rates = {100, 101, 99}});
  for (const char* error : {"it broke", "it broke again"}) {
    StoredRun& failed = runs.emplace_back(runs.front());
    failed.repeat = 3;
    failed.result.status = RunStatus::Failed;
    failed.result.error = error;
  }
  const ScalingReport report = make_scaling(runs);
  EXPECT_EQ(report.configurations[0].failed, 1);
  EXPECT_EQ(report.configurations[0].error, "it broke again");
}

TEST(Trust, WarningsNameTheirReasons) {
  std::vector<StoredRun> runs;
  add(runs, {.rates = {100, 99, 98, 97, 96, 95, 94}});
  for (StoredRun& run : runs) {
    run.result.stolen_cpu_fraction = 0.1;
    run.result.facts.threads = 65;
    run.result.summary.steady_state.steadiness = Steadiness::SlowingDown;
  }
  const auto warnings = make_scaling(runs).configurations[0].warnings;
  EXPECT_THAT(warnings, Contains(HasSubstr("oversubscribed: 65 threads on 64 cores")));
  EXPECT_THAT(warnings, Contains(HasSubstr("stolen time: other virtual machines")));
  EXPECT_THAT(warnings, Contains(HasSubstr("did not reach a steady state")));
  EXPECT_THAT(warnings, Contains(HasSubstr("slower from launch to launch")));
}

TEST(Trust, ASlowStartIsReported) {
  std::vector<StoredRun> runs;
  add(runs, {.rates = {7.5, 7.6, 7.4}});  // of 8 images each in a second when steady
  EXPECT_THAT(make_scaling(runs).configurations[0].warnings, IsEmpty());
  runs[1].result.summary.steady_state = {.steadiness = Steadiness::Steady, .dropped_steps = 5};
  EXPECT_THAT(make_scaling(runs).configurations[0].warnings,
              Contains(HasSubstr("1 of 3 launches were slower in their first timed steps")));
}

TEST(Trust, QuietLaunchesGiveNoReason) {
  std::vector<StoredRun> runs;
  add(runs, {.rates = {100, 100.2, 99.9, 100.1, 99.8, 100}});
  EXPECT_THAT(make_scaling(runs).configurations[0].warnings, IsEmpty());
  runs.resize(1);
  EXPECT_THAT(make_scaling(runs).configurations[0].warnings,
              ElementsAre(HasSubstr("1 launch: a confidence interval needs at least 3")));
}

TEST(Best, TheVerdictOnTheRunnerUpIsSlowerOrInconclusive) {
  std::vector<StoredRun> runs;
  add(runs, {.rates = {100, 101, 99, 100, 100.5}});
  add(runs, {.rates = {90, 91, 89, 90, 90.5}, .update = "horovod"});
  add(runs, {.devices = 2, .rates = {150, 190, 170, 160, 165}});
  add(runs, {.devices = 2, .rates = {155, 180, 165, 158, 170}, .update = "horovod"});
  const ScalingReport report = make_scaling(runs);
  const auto rows = best_of(report, runs);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(report.configurations[rows[0].best].config.variable_update, "replicated");
  EXPECT_EQ(rows[0].difference->verdict, Verdict::Slower);
  EXPECT_EQ(rows[1].difference->verdict, Verdict::Inconclusive);
  EXPECT_THAT(best_table(report, rows), HasSubstr("slower: 0.900 times"));
}

TEST(Best, TooFewLaunchesForAnyVerdictAreReported) {
  std::vector<StoredRun> runs;
  add(runs, {.rates = {882, 885, 879}});
  add(runs, {.rates = {291, 292, 291.5}, .update = "horovod"});
  const ScalingReport report = make_scaling(runs);
  EXPECT_EQ(words_about(best_of(report, runs).front()),
            "inconclusive: too few launches to decide: use at least 4 launches per side");
}

const ReportFile& file(const std::vector<ReportFile>& files, const std::string& path) {
  for (const ReportFile& each : files) {
    if (each.path == path) return each;
  }
  throw Error("there is no {}", path);
}

TEST(ScalingCsv, LinesAreDevicesAndThroughput) {
  const auto files = scaling_csv(make_scaling(two_curves()));
  EXPECT_EQ(file(files, "csv_native/alexnet_b8.csv").text, "1,99.99\n2,190.00\n4,319.99\n");
  EXPECT_EQ(file(files, "csv_native/alexnet_b8.csv.ideal").text, "1,99.99\n2,199.99\n4,399.97\n");
}

TEST(ScalingCsv, EverySeriesHasAFileAndTheFastestThePlainName) {
  std::vector<StoredRun> runs;
  for (const auto& [strategy, one, two] :
       {std::tuple{"parameter_server", 100.0, 120.0}, {"replicated", 90.0, 170.0}}) {
    add(runs, {.rates = {one}, .update = strategy});
    add(runs, {.devices = 2, .rates = {two}, .update = strategy});
  }
  const auto files = scaling_csv(make_scaling(runs));
  const std::string replicated = "csv_native/alexnet_b8_variable-update_replicated.csv";
  EXPECT_EQ(file(files, replicated).text, "1,90.00\n2,170.00\n");
  EXPECT_EQ(file(files, "csv_native/alexnet_b8.csv").text, file(files, replicated).text);
  EXPECT_EQ(file(files, "csv_native/alexnet_b8_variable-update_parameter_server.csv").text,
            "1,100.00\n2,120.00\n");
}

TEST(ScalingCsv, NamesNeverLeadOutOfTheDirectory) {
  std::vector<StoredRun> runs;
  add(runs, {.model = "../../etc/x"});
  for (const ReportFile& each : scaling_csv(make_scaling(runs))) {
    EXPECT_EQ(each.path.find('/'), each.path.rfind('/')) << each.path;
  }
}

TEST(ScalingCharts, HaveTheIdealLineEverySeriesAndTheSameBytesEveryTime) {
  const ScalingReport report = make_scaling(two_curves());
  const auto files = scaling_charts(report);
  const std::string& graph = file(files, "comparison_graph.svg").text;
  EXPECT_THAT(graph, HasSubstr(">Ideal</text>"));
  for (const Series& series : report.series) EXPECT_THAT(graph, HasSubstr(series.label));
  EXPECT_THAT(graph, HasSubstr("Speedup: 3.20, Images/Sec: 319.99"));
  EXPECT_THAT(graph, HasSubstr("prefers-color-scheme:dark"));
  const auto again = scaling_charts(make_scaling(two_curves()));
  for (size_t i = 0; i < files.size(); ++i) {
    EXPECT_EQ(files[i].text, again[i].text) << files[i].path;
    EXPECT_THAT(files[i].text, Not(HasSubstr("nan"))) << files[i].path;
    EXPECT_THAT(files[i].text, Not(HasSubstr("inf"))) << files[i].path;
  }
}

TEST(ScalingCharts, NoteSeriesThatAreNotDrawn) {
  std::vector<StoredRun> runs;
  for (int i = 0; i < 30; ++i) {
    for (const int devices : {1, 2}) {
      add(runs, {.model = "net" + std::to_string(i), .devices = devices});
    }
  }
  const auto files = scaling_charts(make_scaling(runs));
  for (const char* picture : {"comparison_graph.svg", "throughput.svg", "scaling_efficiency.svg"}) {
    EXPECT_THAT(file(files, picture).text, HasSubstr("28 of 30 series are drawn")) << picture;
  }
  EXPECT_THAT(file(files, "breakdown.svg").text, Not(HasSubstr("are drawn")));
}

TEST(ScalingCharts, ASinglePointIsDrawn) {
  std::vector<StoredRun> runs;
  add(runs, {.model = "<&>"});
  for (const ReportFile& each : scaling_charts(make_scaling(runs))) {
    EXPECT_THAT(each.text, Not(HasSubstr("nan"))) << each.path;
    EXPECT_THAT(each.text, Not(HasSubstr("<&"))) << each.path;
  }
}

}  // namespace
}  // namespace lockstep
