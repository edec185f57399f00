// Scaling efficiency, communication efficiency, and what makes both hard to compare.
#include <gmock/gmock.h>

#include "report/analysis/scaling_notes.h"
#include "report/made_runs.h"
#include "report/render/configuration_rows.h"
#include "report/render/remarks.h"
#include "report/render/scaling_charts.h"
#include "report/render/scaling_text.h"

namespace lockstep {
namespace {

using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<StoredRun> with_communication(double efficiency) {
  std::vector<StoredRun> runs;
  add(runs, {.devices = 1, .rates = {100, 101, 99}});
  add(runs, {.devices = 2, .rates = {190, 191, 189}});
  for (size_t i = 3; i < 6; ++i) {
    runs[i].result.independent = {.images_per_second = 200,
                                  .communication_efficiency = efficiency + 0.001 * (i - 4.0)};
  }
  return runs;
}

TEST(Efficiency, BothAreInTheTableUnderTheirNames) {
  const ScalingReport report = make_scaling(with_communication(0.95));
  const std::string table = scaling_table(report);
  EXPECT_THAT(table, HasSubstr("scaling efficiency %"));
  EXPECT_THAT(table, HasSubstr("communication efficiency %"));
  EXPECT_THAT(table, ContainsRegex("native +2 .*95.0 \\([0-9.]+ to [0-9.]+\\) +95.0 \\("));
  EXPECT_THAT(table, ContainsRegex("native +1 .*1.00 +100.0 +- "));
  EXPECT_THAT(configurations_csv(report),
              HasSubstr("communication_efficiency,communication_efficiency_low,"));
  EXPECT_THAT(configurations_csv(report), HasSubstr(",0.949999,"));
  EXPECT_THAT(scaling_table(make_scaling(two_curves())), Not(HasSubstr("communication eff")));
  std::vector<std::string> names;
  for (const ReportFile& file : scaling_charts(report)) names.push_back(file.path);
  EXPECT_THAT(names, Contains("communication_efficiency.svg"));
  EXPECT_THAT(names, Contains("scaling_efficiency.svg"));
}

TEST(Efficiency, AboveHundredPercentIsExplained) {
  const ScalingReport usual = make_scaling(with_communication(0.95));
  EXPECT_THAT(usual.notes, Each(Not(HasSubstr("above 100 %"))));
  EXPECT_THAT(usual.base_notes, Each(Not(HasSubstr("above 100 %"))));
  std::vector<StoredRun> runs = with_communication(1.02);
  for (size_t i = 3; i < 6; ++i) runs[i].result.throughput.total_images_per_second = 210;
  const ScalingReport report = make_scaling(runs);
  EXPECT_THAT(report.notes, Contains(HasSubstr("communication efficiency above 100 % "
                                               "(alexnet:8 x2 native)")));
  EXPECT_THAT(report.base_notes, Contains(HasSubstr("scaling efficiency above 100 % "
                                                    "(alexnet:8 x2 native): more devices have "
                                                    "more cache in all")));
  RunResult run;
  run.independent = {.images_per_second = 100, .communication_efficiency = 1.01};
  EXPECT_THAT(summary_lines(run),
              Contains(HasSubstr("communication efficiency 101.0 %: the same devices without "
                                 "communication process 100.00 images per second; above 100 %")));
}

TEST(Efficiency, OneNumberOfDevicesHasNoSpeedUp) {
  std::vector<StoredRun> runs;
  add(runs, {.devices = 2, .rates = {100, 101, 99}});
  const ScalingReport report = make_scaling(runs);
  EXPECT_FALSE(report.scales());
  EXPECT_THAT(scaling_table(report), ContainsRegex("native +2 +3 .* +- +- +20.0"));
  EXPECT_THAT(report.base_notes, ::testing::IsEmpty());
  for (const ReportFile& file : scaling_charts(report))
    EXPECT_NE(file.path, "comparison_graph.svg");
}

TEST(Efficiency, UnequalThreadsPerDeviceAreWarnedOfOnce) {
  std::vector<StoredRun> runs = two_curves();
  EXPECT_FALSE(note_on_threads(make_scaling(runs)).has_value());
  for (StoredRun& run : runs) run.result.facts.threads = 4 / run.result.facts.devices;
  const ScalingReport report = make_scaling(runs);
  const std::string note = note_on_threads(report).value_or("");
  EXPECT_THAT(note, HasSubstr("threads per device differ: 4 with 1 device, 2 with 2 devices"));
  EXPECT_THAT(note, HasSubstr("compare unequal devices"));
  EXPECT_EQ(std::ranges::count(report.notes, note), 1);
}

}  // namespace
}  // namespace lockstep
