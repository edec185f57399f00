// What was simulated stands beside what was measured, and is never taken for it.
#include <gmock/gmock.h>

#include "report/made_runs.h"
#include "report/render/scaling_charts.h"
#include "report/render/scaling_text.h"

namespace lockstep {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// The same run measured on one and two devices, and simulated on two and four.
std::vector<StoredRun> measured_and_simulated() {
  std::vector<StoredRun> runs;
  add(runs, {.devices = 1, .rates = {100, 101, 99}});
  add(runs, {.devices = 2, .rates = {190, 191, 189}});
  const size_t measured = runs.size();
  add(runs, {.devices = 2, .rates = {300}});
  add(runs, {.devices = 4, .rates = {600}});
  for (size_t i = measured; i < runs.size(); ++i) {
    runs[i].result.origin = "simulated by hand";
    runs[i].result.host = {};
  }
  return runs;
}

std::string text_of(const std::vector<ReportFile>& files, const std::string& path) {
  for (const ReportFile& each : files) {
    if (each.path == path) return each.text;
  }
  return "";
}

TEST(Simulated, HasItsOwnDashedLineWithOpenMarkers) {
  const auto files = scaling_charts(make_scaling(measured_and_simulated()));
  for (const char* picture : {"comparison_graph.svg", "throughput.svg", "scaling_efficiency.svg"}) {
    const std::string svg = text_of(files, picture);
    EXPECT_THAT(svg, HasSubstr("alexnet:8 on native</text>")) << picture;
    EXPECT_THAT(svg, HasSubstr("alexnet:8 on native, simulated</text>")) << picture;
    EXPECT_THAT(svg, HasSubstr("class=\"mark c0\"")) << picture;
    EXPECT_THAT(svg, HasSubstr("class=\"mark open c1\"")) << picture;
    EXPECT_THAT(svg, HasSubstr("class=\"line c1 d1\"")) << picture;
  }
}

TEST(Simulated, SettingsThatNoPredictionHasTellNoMeasurementsApart) {
  std::vector<StoredRun> runs = measured_and_simulated();
  for (StoredRun& run : runs) {
    if (run.result.simulated()) run.result.config.threads = 7;
    run.id = run_id(run.result.config);
  }
  const ScalingReport report = make_scaling(runs);
  EXPECT_THAT(report.differing, IsEmpty());
  EXPECT_EQ(label_of(report, report.configurations.front()), "alexnet:8 x1 native");
}

TEST(Simulated, HasItsOwnFiles) {
  const auto files = scaling_csv(make_scaling(measured_and_simulated()));
  EXPECT_EQ(text_of(files, "csv_native/alexnet_b8.csv"), "1,99.99\n2,190.00\n");
  EXPECT_EQ(text_of(files, "csv_native_simulated/alexnet_b8.csv"), "2,300.00\n4,600.00\n");
}

TEST(Simulated, IsMarkedInTheTable) {
  const std::string table = scaling_table(make_scaling(measured_and_simulated()));
  EXPECT_THAT(table, ContainsRegex("native +2 +3 +190"));
  EXPECT_THAT(table, ContainsRegex("native, simulated +2 +1 +300"));
}

TEST(Simulated, HasNoWarningsAboutTheMachine) {
  const ScalingReport report = make_scaling(measured_and_simulated());
  for (const Configuration& each : report.configurations) EXPECT_THAT(each.warnings, IsEmpty());
  EXPECT_THAT(report.notes, IsEmpty());
}

}  // namespace
}  // namespace lockstep
