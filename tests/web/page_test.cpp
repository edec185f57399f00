#include "web/page.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "config/json.h"
#include "config/run_id.h"
#include "web/page_data.h"
#include "web/page_number.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

void add(PageSource& source, int devices, double rate, const std::string& origin = "measured") {
  StoredRun run;
  run.result.origin = origin;
  run.result.config.model = run.result.facts.model = "alexnet";
  run.result.config.batch_size = 8;
  run.result.config.num_devices = run.result.facts.devices = devices;
  run.result.throughput.total_images_per_second = rate;
  run.result.summary.mean_step = 0.1;
  run.result.summary.mean_phases = {0, 0.03, 0.04, 0.02, 0.005};
  run.result.started_at = "2026-01-02T03:04:05Z";
  run.repeat = static_cast<int>(source.collection.runs.size());
  run.id = run_id(run.result.config);
  source.collection.runs.push_back(run);
  source.collection.directories.emplace_back(".");
}

PageSource two_points() {
  PageSource source = {.name = "here", .collection = {}};
  add(source, 1, 100);
  add(source, 2, 150);
  return source;
}

TEST(PageData, HasTheNumbersOfTheTables) {
  const Json set = page_set(two_points());
  EXPECT_EQ(set["configurations"][1]["rate"], 150);
  EXPECT_EQ(set["series"][0]["points"][1]["speed_up"], 1.5);
  EXPECT_EQ(set["series"][0]["points"][1]["scaling_efficiency"], 0.75);
  EXPECT_NEAR(set["configurations"][0]["phases_ms"][6].get<double>(), 5, 1e-6);  // the rest
  EXPECT_EQ(set["history"]["launches"], 2);
}

TEST(PageData, HasBothEfficienciesByTheirNames) {
  PageSource source = two_points();
  source.collection.runs[1].result.independent = {.images_per_second = 160,
                                                  .communication_efficiency = 0.9375};
  const Json set = page_set(source);
  EXPECT_FALSE(set["configurations"][0].contains("communication_efficiency"));
  EXPECT_EQ(set["configurations"][1]["communication_efficiency"], 0.9375);
  EXPECT_THAT(set["launches_csv"].get<std::string>(), HasSubstr(",150,0.9375,"));
  EXPECT_EQ(set["rankings"].size(), 0u);
}

TEST(PageData, OneNumberOfDevicesHasNoSpeedUpButARanking) {
  PageSource source = {.name = "here", .collection = {}};
  add(source, 2, 100);
  add(source, 2, 150);
  source.collection.runs[1].result.config.variable_update = "horovod";
  source.collection.runs[1].id = run_id(source.collection.runs[1].result.config);
  const Json set = page_set(source);
  EXPECT_FALSE(set["series"][0]["points"][0].contains("speed_up"));
  ASSERT_EQ(set["rankings"].size(), 1u);
  const Json& rows = set["rankings"][0]["rows"];
  EXPECT_EQ(rows[0]["verdict"], "fastest");
  EXPECT_NEAR(rows[1]["ratio"].get<double>(), 2.0 / 3, 1e-5);
}

TEST(PageData, HasTheStepTimesOfEveryConfiguration) {
  PageSource source = two_points();
  Summary& summary = source.collection.runs[1].result.summary;
  summary.steps = 20;
  summary.median_step = 0.1;
  summary.p95_step = 0.15;
  summary.mad_step = 0.01;
  summary.outlier_steps = {4};
  const Json set = page_set(source);
  EXPECT_FALSE(set["configurations"][0].contains("step_times"));  // it does not tell
  const Json& times = set["configurations"][1]["step_times"];
  EXPECT_EQ(times["median_ms"], 100);
  EXPECT_EQ(times["p95_ms"], 150);
  EXPECT_EQ(times["mad_ms"], 10);
  EXPECT_EQ(times["outliers"], 1);
}

TEST(PageData, ABaselineIsARowForEachRun) {
  BaselineReport report;
  report.broken.push_back({"alexnet:8 x4 native", "it broke"});
  report.comparisons.emplace_back().verdict = Verdict::Slower;
  const Json json = baseline_json("old", report);
  EXPECT_EQ(json["rows"][0]["verdict"], "FAILED");
  EXPECT_EQ(json["rows"][0]["error"], "it broke");
  EXPECT_EQ(json["rows"][1]["verdict"], "REGRESSION");
}

TEST(PageData, OnlyBudgetsThatACardMayShowHaveSentences) {
  PageSource source = two_points();
  add(source, 4, 250);
  const Json set = page_set(source);
  ASSERT_EQ(set["budgets"].size(), 2u);
  EXPECT_FALSE(set["budgets"][0].contains("advice"));
  EXPECT_TRUE(set["budgets"][1].contains("advice"));
  EXPECT_TRUE(set["budgets"][1].contains("verdict"));
}

// Rates on the page are rounded, so it cannot choose by them.
TEST(PageData, OfTwoRatesThatLookAlikeTheCardIsMarked) {
  PageSource source = two_points();
  add(source, 4, 250.0001);
  add(source, 4, 250.0002);
  StoredRun& faster = source.collection.runs.back();
  faster.result.config.bucket_mb = 7;
  faster.id = run_id(faster.result.config);
  const Json set = page_set(source);
  size_t marked = set["configurations"].size();
  for (size_t i = 0; i < set["configurations"].size(); ++i) {
    if (set["configurations"][i].contains("card")) {
      EXPECT_EQ(marked, set["configurations"].size()) << "one of this strategy and engine";
      marked = i;
    }
  }
  ASSERT_LT(marked, set["configurations"].size());
  for (const Json& budget : set["budgets"]) {
    EXPECT_EQ(budget.contains("verdict"), budget["configuration"] == marked);
  }
}

TEST(PageData, SimulatedResultsAreASeparateSeries) {
  PageSource source = two_points();
  add(source, 2, 190, "simulated by hand");
  const Json set = page_set(source);
  ASSERT_EQ(set["series"].size(), 2u);
  EXPECT_EQ(set["series"][0]["kind"], "measured");
  EXPECT_EQ(set["series"][1]["kind"], "simulated");
  EXPECT_EQ(set["configurations"][1]["rate"], 150);  // not mixed up with the measured one
  EXPECT_EQ(set["best"].size(), 2u);                 // and it wins nothing
}

TEST(PageData, TheWinnersCommandLineRunsItAgain) {
  const Json set = page_set(two_points());
  EXPECT_THAT(set["best"][1]["command"].get<std::string>(),
              testing::AllOf(HasSubstr("lockstep train"), HasSubstr("--num-devices=2"),
                             HasSubstr("--model=alexnet")));
}

TEST(PageData, TheWinnersCommandLineIsQuotedForAShell) {
  PageSource source = two_points();
  for (StoredRun& run : source.collection.runs) run.result.config.data_dir = "/data/a b";
  EXPECT_THAT(page_set(source)["best"][1]["command"].get<std::string>(),
              HasSubstr(" '--data-dir=/data/a b'"));
}

TEST(PageData, LaunchesAreALineEachForSpreadsheets) {
  PageSource source = two_points();
  source.collection.runs[1].result.error = "it said \"no\", twice";
  const std::string csv = page_set(source)["launches_csv"];
  EXPECT_EQ(std::ranges::count(csv, '\n'), 3);
  EXPECT_THAT(csv, HasSubstr("\"it said \"\"no\"\", twice\""));
}

TEST(PageData, UnmeasuredValuesAreEmpty) {
  PageSource source = two_points();
  RunResult& failed = source.collection.runs[1].result;
  failed.error = "it broke";
  failed.throughput.total_images_per_second = std::nan("");
  failed.summary = {};
  source.collection.runs[1].last_lines = {"no such data set"};
  const Json set = page_set(source);
  EXPECT_THAT(set["launches_csv"].get<std::string>(), HasSubstr(",failed,,,,,,,,,,,,it broke\n"));
  EXPECT_EQ(set["configurations"][1]["error"], "it broke");
  EXPECT_EQ(set["configurations"][1]["last_lines"][0], "no such data set");
}

TEST(PageNumber, IsRoundedAndNullWhereJsonHasNone) {
  EXPECT_EQ(page_number(1.23456789, 5), 1.2346);
  EXPECT_EQ(page_number(1e-310, 5), 1e-310);
  EXPECT_TRUE(page_number(std::numeric_limits<double>::max(), 5).is_null());
  EXPECT_TRUE(page_number(std::nan(""), 6).is_null());
}

TEST(Page, LoadsNothingFromElsewhere) {
  const std::string html = page_html({{"sets", {page_set(two_points())}}, {"published", {}}});
  for (const char* outside : {"src=\"http", "href=\"http", "@import", "url(http"}) {
    EXPECT_THAT(html, Not(HasSubstr(outside)));
  }
  EXPECT_THAT(html, HasSubstr("uPlot"));
}

TEST(Page, WordsInTheDataCannotEndTheScript) {
  PageSource source = two_points();
  source.name = "</script><script>alert(1)</script>";
  const std::string html = page_html({{"sets", {page_set(source)}}, {"published", {}}});
  EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(html, HasSubstr("\\u003c/script>"));
}

TEST(Page, TheSameDataGiveTheSameBytes) {
  const Json data = {{"sets", {page_set(two_points())}}, {"published", published_layer()}};
  EXPECT_EQ(page_html(data), page_html(data));
}

}  // namespace
}  // namespace lockstep
