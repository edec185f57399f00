#include "report/render/compact_tables.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/text.h"
#include "report/analysis/best.h"
#include "report/made_runs.h"
#include "report/render/best_text.h"
#include "report/render/footnotes.h"
#include "report/render/text_table.h"

namespace lockstep {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

void expect_fits(const std::string& text) {
  for (const std::string& line : split(text, '\n')) {
    EXPECT_LE(text_width(line), kTerminalColumns) << line;
  }
}

TEST(CompactTables, FitATerminalWhateverIsMeasured) {
  std::vector<StoredRun> runs = two_curves();
  add(runs,
      {.model = "cifar10_resnet110_v2", .devices = 128, .rates = {123456.78, 123999, 123000}});
  const ScalingReport report = make_scaling(runs);
  expect_fits(compact_scaling_table(report));
  expect_fits(compact_step_table(report));
}

TEST(CompactTables, FitWithEveryColumnThereIs) {
  std::vector<StoredRun> runs;
  for (const char* framework : {"", "tensorflow"}) {
    for (const int devices : {1, 128}) {
      add(runs, {.model = "mobilenet_with_a_long_name_v2",
                 .devices = devices,
                 .rates = {12345.6 * devices, 12999.9 * devices, 12222.2 * devices}});
      for (size_t i = runs.size() - 3; i < runs.size(); ++i) {
        RunResult& result = runs[i].result;
        result.config.framework = framework;
        result.config.bucket_mb = 8 + 8 * devices;
        result.independent = {.images_per_second = 20000, .communication_efficiency = 0.9};
        runs[i].id = run_id(result.config);
      }
    }
  }
  for (size_t i = 0; i < runs.size(); i += 2) runs[i].result.origin = "simulated by hand";
  const ScalingReport report = make_scaling(runs);
  expect_fits(compact_scaling_table(report));
  expect_fits(compact_step_table(report));
  expect_fits(best_table(report, best_of(report, runs)));
}

TEST(CompactTables, IntervalsAreHalfTheirWidth) {
  std::vector<StoredRun> runs;
  for (const int devices : {1, 2}) {
    add(runs, {.devices = devices, .rates = {100.0 * devices, 101.0 * devices, 99.0 * devices}});
  }
  const ScalingReport report = make_scaling(runs);
  const Interval known = *report.configurations[0].speed->images_per_second_95;
  EXPECT_THAT(compact_scaling_table(report),
              ContainsRegex(fmt::format("alexnet:8 +1 +3 +99.99 ± {:.2f} +1.00 +100.0 +20.0\n",
                                        (known.high - known.low) / 2)));
}

TEST(CompactTables, RemarksAreFootnotesThatRowsShare) {
  std::vector<StoredRun> runs;
  for (const int devices : {1, 2, 4}) add(runs, {.devices = devices, .rates = {100}});
  const std::string text = compact_scaling_table(make_scaling(runs));
  EXPECT_THAT(text, ContainsRegex("alexnet:8 +4 .*\\[1\\]\n"));
  EXPECT_THAT(text, HasSubstr("\n[1] 1 launch: a confidence interval needs at least 3; raise "));
  EXPECT_THAT(text, Not(HasSubstr("[2]")));
}

TEST(CompactTables, RemarksThatDifferInTheirNumbersAreOneFootnote) {
  Footnotes footnotes;
  EXPECT_EQ(footnotes.mark({"launches differ by 9.3 % (fp16)", "busy"}), "[1,2]");
  EXPECT_EQ(footnotes.mark({"busy", "launches differ by 12 % (fp16)"}), "[1,2]");
  EXPECT_EQ(footnotes.mark({"launches differ by 10.5 % (fp32)"}), "[3]");
  EXPECT_EQ(footnotes.mark({}), "");
  EXPECT_EQ(footnotes.text(),
            "[1] launches differ by 9.3 to 12 % (fp16)\n[2] busy\n"
            "[3] launches differ by 10.5 % (fp32)\n");
}

TEST(CompactTables, AFailureIsInItsRowAndItsReasonAFootnote) {
  std::vector<StoredRun> runs;
  add(runs, {.rates = {100, 101, 99}});
  add(runs, {.devices = 2, .rates = {100}});
  runs.back().result.status = RunStatus::Failed;
  runs.back().result.error = "it broke";
  const std::string text = compact_scaling_table(make_scaling(runs));
  EXPECT_THAT(text, ContainsRegex("alexnet:8 +2 .*failed.*\\[1\\]"));
  EXPECT_THAT(text, HasSubstr("[1] failed: it broke"));
}

TEST(CompactTables, LongSettingsAreLettersWithALegend) {
  std::vector<StoredRun> runs;
  for (const char* update : {"distributed_replicated", "parameter_server"}) {
    for (const int devices : {1, 2}) {
      add(runs, {.devices = devices, .rates = {100.0 * devices, 100.0, 99.0}, .update = update});
      for (size_t i = runs.size() - 3; i < runs.size(); ++i) {
        runs[i].result.config.num_ps = update[0] == 'd' ? 2 : 4;
        runs[i].id = run_id(runs[i].result.config);
      }
    }
  }
  const std::string text = compact_scaling_table(make_scaling(runs));
  expect_fits(text);
  EXPECT_THAT(text, HasSubstr("\nsettings A: variable-update=distributed_replicated num-ps=2\n"));
  EXPECT_THAT(text, ContainsRegex("alexnet:8 +B +2 "));
}

TEST(Wrapped, BreaksAtSpacesAndKeepsParagraphs) {
  EXPECT_EQ(wrapped("one two three\nfour\n", "  ", 8), "one two\n  three\nfour\n");
  EXPECT_EQ(wrapped("unbreakable", "  ", 4), "unbreakable");
  EXPECT_EQ(wrapped("a ± b", "  ", 5), "a ± b");
}

}  // namespace
}  // namespace lockstep
