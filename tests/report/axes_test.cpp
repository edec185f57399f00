// Tables and verdicts by axes.
#include <gmock/gmock.h>

#include "base/error.h"
#include "report/made_runs.h"
#include "report/render/pivot_text.h"
#include "report/render/verdicts_text.h"

namespace lockstep {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

RunCollection collection(const std::vector<StoredRun>& runs) {
  return {.runs = runs, .directories = std::vector<std::string>(runs.size(), ".")};
}

// Changes the configuration of the last `count` runs.
template <typename Change>
void change_last(std::vector<StoredRun>& runs, size_t count, Change change) {
  for (size_t i = runs.size() - count; i < runs.size(); ++i) {
    change(runs[i].result.config);
    runs[i].id = run_id(runs[i].result.config);
  }
}

// Two strategies, 1 and 2 devices, and images from three places.
std::vector<StoredRun> places() {
  std::vector<StoredRun> runs;
  for (const char* update : {"replicated", "parameter_server"}) {
    for (const int devices : {1, 2}) {
      for (const char* place : {"pipeline", "host", "device"}) {
        add(runs, {.devices = devices, .rates = {100.0 * devices}, .update = update});
        change_last(runs, 1, [&](RunConfig& run) {
          run.synthetic_location = place;
          if (run.variable_update == "parameter_server") run.num_ps = 1;
        });
      }
    }
  }
  return runs;
}

TEST(Pivot, HasATableForEachCombinationOfTheOtherAxes) {
  const ScalingReport report = make_scaling(places());
  const Pivot pivot = make_pivot(report, "devices", "synthetic-location");
  EXPECT_THAT(pivot.rows, ElementsAre("1", "2"));
  EXPECT_THAT(pivot.columns, ElementsAre("device", "host", "pipeline"));
  ASSERT_EQ(pivot.tables.size(), 2u);
  EXPECT_THAT(pivot_tables(pivot, report),
              HasSubstr("images/sec by devices and synthetic-location, "
                        "variable-update=replicated:\n"
                        "devices  device    host  pipeline\n"
                        "1        100.00  100.00    100.00\n"
                        "2        200.00  200.00    200.00\n"));
  EXPECT_THAT(pivot_markdown(pivot, report), HasSubstr("| devices | device | host | pipeline |\n"));
  EXPECT_THAT(pivot_csv(pivot, report), HasSubstr("parameter_server,1,2,200,200,200\n"));
  EXPECT_THAT(pivot_csv(pivot, report), HasSubstr("devices,synthetic-location=device,"));
}

// --num-ps exists with servers only, and so belongs to the strategy.
TEST(Pivot, AnOptionThatDependsOnAnAxisJoinsItsLabels) {
  const ScalingReport report = make_scaling(places());
  const Pivot pivot = make_pivot(report, "devices", "variable-update");
  EXPECT_THAT(pivot.columns, ElementsAre("parameter_server num-ps=1", "replicated"));
  EXPECT_EQ(pivot.tables.size(), 3u) << "one for each place";
}

TEST(Pivot, AnAxisThatDoesNotVaryIsOneColumn) {
  const ScalingReport report = make_scaling(two_curves());
  const Pivot pivot = make_pivot(report, "devices", "synthetic-location");
  EXPECT_THAT(pivot.columns, ElementsAre("device"));
  EXPECT_EQ(pivot.tables.size(), 2u);
}

TEST(Pivot, DevicesOfSeveralHostsAreCountedTogether) {
  std::vector<StoredRun> runs;
  for (const int hosts : {1, 2}) {
    add(runs, {.devices = 2 * hosts, .rates = {100.0 * hosts}});
    change_last(runs, 1, [&](RunConfig& run) {
      run.num_devices = 2;
      run.nodes = hosts;
    });
    runs.back().result.facts.nodes = hosts;
  }
  const ScalingReport report = make_scaling(runs);
  const Pivot pivot = make_pivot(report, "devices", "nodes");
  EXPECT_THAT(pivot.rows, ElementsAre("2", "4"));
  ASSERT_EQ(pivot.tables.size(), 1u);
  EXPECT_FALSE(pivot.tables[0].cells[0][1].has_value());
  EXPECT_THAT(pivot_tables(pivot, report), ContainsRegex("2 +100.00 +-"));
}

TEST(Axes, AreNamedAsOptionsAreAndAnUnknownOneIsExplained) {
  const ScalingReport report = make_scaling(places());
  EXPECT_EQ(axis_named("num_gpus", "by", report), "num-devices");
  EXPECT_EQ(axis_named("devices", "by", report), "devices");
  try {
    axis_named("devics", "pivot", report);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "--pivot: unknown axis 'devics'; did you mean devices? Axes that vary here: "
                 "synthetic-location, devices, variable-update, num-ps");
  }
  EXPECT_THROW(axis_named("result", "by", report), UsageError) << "it changes no measurement";
}

TEST(Verdicts, ComparesAllPairsAlongAnAxisInEveryGroup) {
  std::vector<StoredRun> runs;
  for (const int devices : {1, 2}) {
    const double more = devices;
    add(runs, {.devices = devices,
               .rates = {100 * more, 101 * more, 99 * more, 100.5 * more, 99.5 * more}});
    add(runs, {.devices = devices,
               .rates = {80 * more, 81 * more, 79 * more, 80.5 * more, 79.5 * more},
               .update = "horovod"});
    add(runs, {.devices = devices,
               .rates = {100.1 * more, 101 * more, 99.1 * more, 100.4 * more, 99.4 * more},
               .update = "independent"});
  }
  const ScalingReport report = make_scaling(runs);
  const AxisVerdicts found = verdicts_along("variable-update", report, collection(runs), 0.02);
  ASSERT_EQ(found.groups.size(), 2u);
  EXPECT_EQ(found.groups[1].heading, "num-devices=2");
  ASSERT_EQ(found.groups[0].pairs.size(), 3u);
  EXPECT_EQ(found.groups[0].pairs[0].difference.verdict, Verdict::Same);
  EXPECT_EQ(found.groups[0].pairs[1].difference.verdict, Verdict::Faster);
  EXPECT_EQ(found.groups[0].pairs[1].slower, "horovod");
  const std::string text = verdict_tables(found, TableWidth::Wide);
  EXPECT_THAT(text, HasSubstr("along variable-update, num-devices=1:"));
  EXPECT_THAT(text, HasSubstr("no significant difference"));
  EXPECT_THAT(verdict_csv(found), HasSubstr("num-devices=1,"));
  EXPECT_THAT(verdict_tables(verdicts_along("overlap", report, collection(runs), 0.02)),
              HasSubstr("nothing to compare"));
}

TEST(Verdicts, TooFewLaunchesAreInconclusive) {
  std::vector<StoredRun> runs;
  add(runs, {.rates = {100, 101, 99}});
  add(runs, {.rates = {50, 51, 49}, .update = "horovod"});
  const auto found = verdicts_along("variable-update", make_scaling(runs), collection(runs), 0.02);
  EXPECT_THAT(verdict_tables(found, TableWidth::Wide),
              HasSubstr("inconclusive: too few launches to decide"));
  const std::string text = verdict_tables(found);
  EXPECT_THAT(text, HasSubstr("2.000 ± "));
  EXPECT_THAT(text, HasSubstr("inconclusive [1]\n[1] too few launches to decide"));
}

TEST(Ranking, AlternativesOnOneNumberOfDevicesAreRankedFastestFirst) {
  std::vector<StoredRun> runs;
  add(runs, {.devices = 2, .rates = {80, 81, 79, 80.5, 79.5}});
  add(runs, {.devices = 2, .rates = {100, 101, 99, 100.5, 99.5}, .update = "horovod"});
  const ScalingReport report = make_scaling(runs);
  EXPECT_FALSE(report.scales());
  const auto rankings = alternatives_in(report, collection(runs));
  ASSERT_EQ(rankings.size(), 1u);
  const std::string text = ranking_tables(report, rankings);
  EXPECT_THAT(text, HasSubstr("ranking of alexnet on 2 devices:"));
  EXPECT_THAT(text, ContainsRegex("1 +alexnet:8 x2 native variable-update=horovod +99.99 +1 +"
                                  "fastest"));
  EXPECT_THAT(text, ContainsRegex("2 +alexnet:8 x2 .*replicated .*0\\.800 .*slower"));
  EXPECT_THAT(alternatives_in(make_scaling(two_curves()), collection(two_curves())),
              ::testing::IsEmpty());
}

TEST(Ranking, TheSlowestOfManyAreOnlyCounted) {
  std::vector<StoredRun> runs;
  for (int i = 0; i < 5; ++i) {
    add(runs, {.rates = {100.0 + i}});
    change_last(runs, 1, [&](RunConfig& run) { run.seed = i; });
  }
  const auto rankings = rankings_of(make_scaling(runs), collection(runs), 0.02, 3);
  EXPECT_EQ(rankings[0].rows.size(), 3u);
  EXPECT_EQ(rankings[0].left_out, 2u);
}

}  // namespace
}  // namespace lockstep
