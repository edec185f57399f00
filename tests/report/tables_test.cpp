#include <gmock/gmock.h>

#include <cmath>
#include <set>
#include <sstream>

#include "config/json.h"
#include "report/render/bench_table.h"
#include "report/render/profile.h"
#include "report/render/progress.h"
#include "report/render/remarks.h"
#include "report/render/text_table.h"
#include "report/results/chrome_trace.h"

namespace lockstep {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(TextTable, MarkdownCellsHoldNoHtmlAndNoLineEnds) {
  TextTable table({{"name", TextTable::Align::Left}});
  table.add({"a|b <img src=x>\n| c"});
  EXPECT_THAT(table.markdown(), ::testing::HasSubstr("| a\\|b &lt;img src=x> \\| c |\n"));
}

TEST(MarkdownText, HoldsNoHtmlNoLinkAndNoLineEnd) {
  EXPECT_EQ(markdown_item("<b> ![c](d)\n\\[e"), "- &lt;b> !\\[c](d) \\\\\\[e\n");
}

TEST(TextTable, ColumnsAlignAndLinesEndClean) {
  TextTable table({{"name", TextTable::Align::Left}, {"count"}, {"note", TextTable::Align::Left}});
  table.add({"a", "1", ""});
  table.add({"longer", "1000", "x"});
  EXPECT_EQ(table.text(),
            "name    count  note\n"
            "a           1\n"
            "longer   1000  x\n");
}

TEST(TextTable, WithinSoManyColumnsTextsContinueBelowAndNumbersStayWhole) {
  TextTable table(
      {{"run", TextTable::Align::Left}, {"images per second"}, {"note", TextTable::Align::Left}});
  table.add({"alexnet", "123456.78", "slower than all of the others"});
  table.add({"x", "1", "± averyveryverylongword"});
  EXPECT_EQ(table.text_within(36),
            "run         images  note\n"
            "               per\n"
            "            second\n"
            "alexnet  123456.78  slower than all\n"
            "                    of the others\n"
            "x                1  ±\n"
            "                    averyveryverylon\n"
            "                    gword\n");
  EXPECT_EQ(table.text(TableWidth::Wide), table.text());
  EXPECT_EQ(table.text_within(200), table.text());
}

TEST(TextTable, WordsStayWholeAsLongAsAnotherTextCanGiveRoom) {
  constexpr auto kLeft = TextTable::Align::Left;
  TextTable table({{"against", kLeft}, {"rate"}, {"verdict", kLeft}});
  table.add({"parameter_server", "850.97", "inconclusive [1]"});
  EXPECT_EQ(table.text_within(38),
            "against             rate  verdict\n"
            "parameter_server  850.97  inconclusive\n"
            "                          [1]\n");
}

TEST(TextTable, ColumnsWithoutRoomAreInASecondTableWithTheFirstColumn) {
  TextTable table({{"devices", TextTable::Align::Left}, {"device"}, {"host"}, {"other"}});
  table.add({"1", "100.00", "200.00", "300.00"});
  EXPECT_EQ(table.text_within(24),
            "devices  device    host\n"
            "1        100.00  200.00\n"
            "\n"
            "devices   other\n"
            "1        300.00\n");
}

TEST(Profile, RatesCountOneProductForwardAndTwoBackward) {
  const OpResult op = {.layer = "conv0",
                       .what = "conv",
                       .kernel = "jit jit jit",
                       .output = "8x4x4",
                       .forward_macs = 1'000'000'000,
                       .forward_seconds = 0.1,
                       .backward_seconds = 0.3};
  const std::string text = profile_table(std::vector<OpResult>{op}, 2, Seconds(0.5));
  EXPECT_NE(text.find("conv0  conv  8x4x4   100.00     40.0  300.00     26.7     80.0  jit\n"),
            std::string::npos)
      << text;
}

TraceEvent event_at(double begin) {
  return {.name = "conv0",
          .category = "forward",
          .detail = "jit",
          .begin = Seconds(begin),
          .duration = Seconds(0.002)};
}

TEST(ChromeTrace, EventsAreCompleteAndInMicrosecondsSinceTheFirst) {
  const RankTrace ranks[] = {{.name = "rank 0", .layers = {event_at(5), event_at(5.001)}}};
  const Json trace = Json::parse(chrome_trace("lockstep lenet", ranks));
  const Json& event = trace.at("traceEvents").back();
  EXPECT_EQ(event.at("ph"), "X");
  EXPECT_NEAR(event.at("ts"), 1000, 1e-3);
  EXPECT_DOUBLE_EQ(event.at("dur"), 2000);
}

TEST(ChromeTrace, EveryRankHasATrackForLayersAndOneForCommunication) {
  const RankTrace ranks[] = {
      {.name = "rank 0 (a)", .layers = {event_at(1)}, .transfers = {event_at(2)}},
      {.name = "rank 1 (b)", .layers = {event_at(1)}, .transfers = {event_at(2)}}};
  std::set<std::pair<int, int>> tracks;
  const Json trace = Json::parse(chrome_trace("x", ranks));
  for (const Json& event : trace.at("traceEvents")) {
    if (event.at("ph") == "X") tracks.emplace(event.at("pid"), event.at("tid"));
  }
  EXPECT_EQ(tracks.size(), 4u);
}

TEST(ChromeTrace, TheTraceOfARankSurvivesTheRoundTrip) {
  const RankTrace trace = {.name = "rank 1", .layers = {event_at(1)}, .transfers = {event_at(2)}};
  EXPECT_EQ(trace_to_json(trace_from_json(trace_to_json(trace))), trace_to_json(trace));
}

TEST(Progress, IsSilentWhereThereIsNoTerminal) {
  std::ostringstream out;
  Progress progress({.out = out, .err = out});
  progress.show("lenet", 1, 2, Seconds(3));
  progress.clear();
  EXPECT_EQ(out.str(), "");
}

TEST(Progress, WithoutColourItHasNone) {
  std::ostringstream plain, colour;
  const Context without = {.out = plain, .err = plain, .err_is_terminal = true};
  const Context with = {.out = colour, .err = colour, .err_is_terminal = true, .colour = true};
  Progress(without).show("lenet", 12, 24, Seconds(65));
  Progress(with).show("lenet", 12, 24, Seconds(65));
  EXPECT_EQ(plain.str(), "\r\033[Klenet [############            ] 12/24  1:05 left\r\033[K");
  EXPECT_NE(colour.str().find("\033[36m"), std::string::npos);
}

TEST(Remarks, ABusyMachineIsMentioned) {
  RunResult result;
  result.facts.threads = 4;
  result.host.usable_threads = 2;
  result.host.load = 3.5;
  const auto lines = remarks_before(result);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0],
            "note: load average is 3.50 before the run: other processes are running, and "
            "throughput may be too low");
  EXPECT_EQ(lines[1], "note: 4 threads share 2 cores");
}

// Steps of 100 ms for 10 images, of which `waits` are waited for input.
RunResult run_that_waits(double waits) {
  RunResult result;
  result.summary.mean_step = 0.1;
  result.facts.batch_size = 10;
  result.summary.mean_phases[static_cast<size_t>(Phase::Input)] = waits;
  StepRecord step;
  step.duration = Seconds(0.1);
  step.phase(Phase::Input) = Seconds(waits);
  result.steps.assign(4, step);
  result.input = {.threads = 1, .processor_seconds_per_image = 0.02};
  result.facts.threads = 1;
  result.host.usable_threads = 2;
  return result;
}

TEST(Remarks, AnInputBoundRunIsReportedWithTheCoresItNeeds) {
  // Without waiting: 10 images in 50 ms, each 20 ms of a core.
  EXPECT_THAT(summary_lines(run_that_waits(0.05)),
              Contains(HasSubstr(
                  "50 % of step time waits for images. An image takes 20.00 ms of a core, so "
                  "the input needs 4 cores besides those of the network; it had 1")));
}

TEST(Remarks, ARunThatIsNotInputBoundIsNotReportedAsSuch) {
  const auto is_the_limit = HasSubstr("input-bound"), waited = HasSubstr("waiting for");
  EXPECT_THAT(summary_lines(run_that_waits(0.001)), Each(Not(AnyOf(is_the_limit, waited))));
  EXPECT_THAT(summary_lines(run_that_waits(0.004)),
              Contains("waiting for images took 4.0 % of step time"));
  EXPECT_THAT(summary_lines(run_that_waits(0.004)), Each(Not(is_the_limit)));
  RunResult once = run_that_waits(0.05);  // one long wait, and none else
  for (size_t i = 1; i < once.steps.size(); ++i) once.steps[i].phase(Phase::Input) = Seconds(0);
  EXPECT_THAT(summary_lines(once), Each(Not(is_the_limit)));
}

TEST(Remarks, SlowStorageIsNotBlamedOnCores) {
  RunResult result = run_that_waits(0.05);
  result.input.processor_seconds_per_image = 0.001;
  EXPECT_THAT(summary_lines(result),
              Contains(HasSubstr("1 core is enough for that, so storage is too slow")));
}

TEST(Remarks, SkippedDataIsCountedAndTheFirstPlacesNamed) {
  EXPECT_THAT(damage_lines({}), IsEmpty());
  EXPECT_THAT(damage_lines({.skipped = 1, .damage = {"f, byte 5: bad"}}),
              ElementsAre("note: skipped 1 damaged example", "skipped: f, byte 5: bad"));
  EXPECT_THAT(damage_lines({.skipped = 2000, .damaged_files = 1}),
              ElementsAre("note: skipped 2,000 damaged examples and the rest of 1 damaged file"));
  EXPECT_THAT(damage_lines({.damaged_files = 2}),
              ElementsAre("note: skipped the rest of 2 damaged files"));
  EXPECT_EQ(damage_lines({.skipped = 9, .damage = std::vector<std::string>(9, "f")}).size(), 6u);
}

TEST(Remarks, AnExplodingLossIsReportedAsDivergence) {
  RunResult result;
  result.steps.resize(3);
  EXPECT_THAT(remarks_after(result), IsEmpty());
  result.steps[1].losses.total_loss = 3e38;
  EXPECT_THAT(remarks_after(result),
              Contains(HasSubstr("the loss is above a million from step 2 on: this network "
                                 "diverges")));
  result.steps[0].losses.total_loss = std::nan("");
  EXPECT_THAT(remarks_after(result), Contains(HasSubstr("not a number from step 1 on")));
}

TEST(Remarks, AnIdleMachineIsNotMentioned) { EXPECT_TRUE(remarks_before({}).empty()); }

TEST(BenchTable, HasARowPerRun) {
  RunResult result;
  result.facts.model = "alexnet";
  result.facts.batch_size = 128;
  result.throughput.total_images_per_second = 33.333;
  result.throughput.fraction_of_peak = 0.701;
  result.peak_memory_bytes = 2'000'000'000;
  const std::string text = bench_table(std::vector<RunResult>{result, result});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  for (const char* part : {"alexnet", "128", "33.33", "70.1", "2.0 GB"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
}

}  // namespace
}  // namespace lockstep
