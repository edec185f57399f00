#include "report/analysis/compare.h"

#include <gmock/gmock.h>

#include <cmath>

#include "base/error.h"
#include "base/random.h"
#include "config/json.h"
#include "report/render/compare_text.h"

namespace lockstep {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct Made {
  double rate = 100;    // images per second
  double noise = 0.01;  // of a step
  double depends = 0;   // how much a step takes over from the one before
  int steps = 200;
  uint64_t seed = 1;
};

RunResult made(const Made& wish) {
  RunResult result;
  result.facts.model = "resnet50";
  result.facts.batch_size = 10;
  result.config.model = "resnet50";
  const RandomStream random(wish.seed, 3);
  double state = 0;
  for (int i = 0; i < wish.steps; ++i) {
    double fresh = -6;
    for (int k = 0; k < 12; ++k)
      fresh += random.uniform(12 * static_cast<uint64_t>(i) + static_cast<uint64_t>(k));
    state = wish.depends * state + std::sqrt(1 - wish.depends * wish.depends) * fresh;
    StepRecord& step = result.steps.emplace_back();
    step.images = 10;
    step.duration = Seconds(10 / wish.rate * (1 + wish.noise * state));
  }
  double seconds = 0;
  for (const StepRecord& step : result.steps) seconds += step.duration.count();
  const double rate = wish.steps > 0 ? 10 * wish.steps / seconds : wish.rate;
  if (wish.steps > 0) result.summary = summarize(result.steps, rate);
  result.throughput.total_images_per_second = rate;
  return result;
}

Comparison compared(const RunResult& a, const RunResult& b) {
  const CompareSide sides[] = {{"a", {a}}, {"b", {b}}};
  return compare(sides, 0.02).comparisons.at(0);
}

std::string refusal(const RunResult& a) {
  try {
    compared(a, made({}));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

// They would be divided by, and what is no number has no order.
TEST(Compare, StepsWithoutImagesOrDurationAreRefused) {
  RunResult result = made({.steps = 3});
  result.steps[1].images = 0;
  EXPECT_EQ(refusal(result), "a has a step without images or duration");
  result = made({.steps = 3});
  result.steps[2].duration = Seconds{0};
  EXPECT_EQ(refusal(result), "a has a step without images or duration");
  result = made({.steps = 0});
  result.throughput.total_images_per_second = 1e-310;
  EXPECT_EQ(refusal(result), "a has a run without a throughput");
}

CompareSide launches(const std::string& label, int n, double rate, uint64_t seed) {
  CompareSide side = {.label = label, .runs = {}};
  for (int i = 0; i < n; ++i) {
    const RandomStream random(seed, static_cast<uint64_t>(i));
    const double launch = rate * (1 + 0.005 * (random.uniform(0) - 0.5));
    side.runs.push_back(made({.rate = launch, .steps = 0}));
  }
  return side;
}

TEST(Compare, FivePercentIsFasterOneWayAndSlowerTheOther) {
  const RunResult slow = made({.rate = 100, .seed = 1}), fast = made({.rate = 105, .seed = 2});
  const Comparison up = compared(slow, fast), down = compared(fast, slow);
  EXPECT_EQ(up.verdict, Verdict::Faster) << up.reason;
  EXPECT_EQ(down.verdict, Verdict::Slower) << down.reason;
  EXPECT_NEAR(up.ratio.value, 1.05, 0.005);
  EXPECT_NEAR(up.shift.middle, 5, 0.5);
  EXPECT_LT(up.ratio.interval_95->low, 1.05);
  EXPECT_GT(up.ratio.interval_95->high, 1.05);
}

TEST(Compare, TheSameWorkTwiceIsTheSameOrInconclusive) {
  int same = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const Comparison twice =
        compared(made({.seed = 100 + 2 * seed}), made({.seed = 101 + 2 * seed}));
    EXPECT_NE(twice.verdict, Verdict::Faster) << seed;
    EXPECT_NE(twice.verdict, Verdict::Slower) << seed;
    same += twice.verdict == Verdict::Same;
  }
  EXPECT_GE(same, 38);
}

// Slow spells make single steps look like many measurements; blocks must not be fooled.
TEST(Compare, CorrelatedStepsDoNotGiveFalseVerdicts) {
  int wrong = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const Made wish = {.noise = 0.1, .depends = 0.9, .steps = 300, .seed = 500 + 2 * seed};
    Made other = wish;
    ++other.seed;
    const Verdict verdict = compared(made(wish), made(other)).verdict;
    wrong += verdict == Verdict::Faster || verdict == Verdict::Slower;
  }
  EXPECT_LE(wrong, 4);
}

// Numbers of steps that blocks do not divide: every step counts as much as any other.
TEST(Compare, ASideHasTheThroughputOfItsRun) {
  for (const int steps : {29, 30, 31, 97, 200}) {
    const RunResult base = made({.noise = 0.3, .depends = 0.9, .steps = steps});
    const RunResult other = made({.noise = 0.3, .steps = steps, .seed = 2});
    const Comparison found = compared(base, other);
    EXPECT_NEAR(found.base_rate, base.throughput.total_images_per_second, 1e-9) << steps;
    EXPECT_NEAR(found.rate, other.throughput.total_images_per_second, 1e-9) << steps;
  }
}

TEST(Compare, ASmallButCertainDifferenceIsTheSame) {
  const Comparison result = compared(made({.rate = 100, .noise = 0.001, .seed = 1}),
                                     made({.rate = 100.5, .noise = 0.001, .seed = 2}));
  EXPECT_LT(result.p, 0.01);
  EXPECT_EQ(result.verdict, Verdict::Same);
}

TEST(Compare, AWideIntervalIsInconclusive) {
  const Comparison result = compared(made({.noise = 0.3, .steps = 30, .seed = 1}),
                                     made({.noise = 0.3, .steps = 30, .seed = 2}));
  EXPECT_EQ(result.verdict, Verdict::Inconclusive);
}

TEST(Compare, LaunchesAreTheMeasurementsWhenThereAreSeveral) {
  const CompareSide sides[] = {launches("a", 5, 100, 1), launches("b", 5, 105, 2)};
  const CompareReport report = compare(sides, 0.02);
  const Comparison& result = report.comparisons.at(0);
  EXPECT_EQ(result.unit, CompareUnit::Launches);
  EXPECT_EQ(result.count, 5);
  EXPECT_NEAR(result.p, 2 / 252.0, 1e-12);  // all of one side above all of the other
  EXPECT_EQ(result.verdict, Verdict::Faster);
  EXPECT_THAT(report.notes, Contains(HasSubstr("one launch is one measurement")));
}

TEST(Compare, ThreeLaunchesCannotBeSignificant) {
  const CompareSide sides[] = {launches("a", 3, 100, 1), launches("b", 3, 110, 2)};
  const Comparison result = compare(sides, 0.02).comparisons.at(0);
  EXPECT_NEAR(result.p, 0.1, 1e-12);
  EXPECT_EQ(result.verdict, Verdict::Inconclusive);
}

TEST(Compare, OneMeasurementPerSideGivesNoInterval) {
  const Comparison result =
      compared(made({.rate = 100, .steps = 0}), made({.rate = 200, .steps = 0}));
  EXPECT_EQ(result.verdict, Verdict::Inconclusive);
  EXPECT_NEAR(result.ratio.value, 2, 1e-12);
  EXPECT_FALSE(result.ratio.interval_95);
}

TEST(Compare, SeveralComparisonsRaiseP) {
  const CompareSide sides[] = {launches("a", 5, 100, 1), launches("b", 5, 105, 2),
                               launches("c", 5, 95, 3)};
  const CompareReport report = compare(sides, 0.02);
  EXPECT_NEAR(report.comparisons[0].p, 2 * 2 / 252.0, 1e-12);
  EXPECT_EQ(report.comparisons[1].verdict, Verdict::Slower);
}

TEST(Compare, FailedRunsAreRefused) {
  RunResult failed = made({});
  failed.error = "program x: nothing matched";
  EXPECT_THROW(compared(made({}), failed), Error);
  RunResult empty = made({.rate = std::nan(""), .steps = 0});
  EXPECT_THROW(compared(made({}), empty), Error);
}

TEST(Compare, DifferentWorkIsFound) {
  RunResult other = made({});
  other.facts.model = "vgg16";
  other.facts.batch_size = 64;
  other.facts.devices = 2;
  const CompareSide sides[] = {{"a", {made({})}}, {"b", {other}}};
  EXPECT_THAT(
      work_differences(sides),
      ElementsAre("model: resnet50, vgg16", "batch size per device: 10, 64", "devices: 1, 2"));
  const CompareSide alike[] = {{"a", {made({})}}, {"b", {made({.rate = 1})}}};
  EXPECT_THAT(work_differences(alike), IsEmpty());
}

TEST(Compare, ListsTheOptionsThatDiffer) {
  RunResult other = made({.seed = 2});
  other.config.threads = 2;
  other.config.result = "other.json";
  const CompareSide sides[] = {{"a", {made({})}}, {"b", {other}}};
  EXPECT_THAT(compare(sides, 0.02).notes, Contains("differs: --threads: 0, 2"));
}

TEST(Compare, WarnsOfAnotherPrecision) {
  RunResult other = made({.seed = 2});
  other.config.dtype = "fp16";
  const CompareSide sides[] = {{"a", {made({})}}, {"b", {other}}};
  EXPECT_THAT(compare(sides, 0.02).notes,
              Contains("precision differs: f32, fp16: the ratio compares different computations"));
  EXPECT_THAT(compare(sides, 0.02).notes, Not(Contains(HasSubstr("--dtype"))));
}

// -g 1 takes all cores, -g 2 half of them on each device.
TEST(Compare, WarnsOnceOfUnequalThreadsPerDevice) {
  RunResult one = made({}), two = made({.seed = 2});
  one.facts.threads = 2;
  two.facts.threads = 1;
  two.facts.devices = 2;
  const CompareSide sides[] = {{"a", {one}}, {"b", {two}}};
  EXPECT_THAT(compare(sides, 0.02).notes,
              Contains(HasSubstr("threads per device differ: 2 with 1 device (a), 1 with 2 devices "
                                 "(b): the ratio compares unequal devices")));
}

class CompareText : public ::testing::Test {
 protected:
  const CompareSide sides_[2] = {{"a|1", {made({.rate = 100, .seed = 1})}},
                                 {"b", {made({.rate = 105, .seed = 2})}}};
  const CompareReport report_ = compare(sides_, 0.02);
};

TEST_F(CompareText, TheTableEndsInASentence) {
  EXPECT_THAT(compare_table(report_), HasSubstr("b is faster than a|1: 1.0"));
  EXPECT_THAT(compare_table(report_), HasSubstr("note: one launch per side"));
}

TEST_F(CompareText, MarkdownRowsAllHaveAsManyCells) {
  std::istringstream lines(compare_markdown(report_));
  int rows = 0;
  for (std::string line; std::getline(lines, line) && line.starts_with('|'); ++rows) {
    int bars = 1;  // the one that it starts with
    for (size_t i = 1; i < line.size(); ++i) bars += line[i] == '|' && line[i - 1] != '\\';
    EXPECT_EQ(bars, 10) << line;
  }
  EXPECT_EQ(rows, 4);
}

TEST_F(CompareText, JsonHoldsTheNumbers) {
  const Json json = compare_to_json(report_);
  const Json& row = json.at("comparisons").at(0);
  EXPECT_EQ(row.at("verdict"), "faster");
  EXPECT_EQ(row.at("ratio"), report_.comparisons[0].ratio.value);
  EXPECT_EQ(row.at("unit"), "blocks of steps");
  EXPECT_EQ(json.at("threshold"), 0.02);
}

}  // namespace
}  // namespace lockstep
