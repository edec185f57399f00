#include <gmock/gmock.h>

#include "base/error.h"
#include "report/made_runs.h"
#include "report/render/regressions_text.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

RunCollection collection(const std::vector<StoredRun>& runs) {
  return {.runs = runs, .directories = std::vector<std::string>(runs.size(), ".")};
}

TEST(Baseline, OnlyARealSlowdownIsARegression) {
  std::vector<StoredRun> older, slower, alike;
  add(older, {.rates = {100, 101, 99, 100, 100.5}});
  add(slower, {.rates = {90, 91, 89, 90, 90.5}});
  add(alike, {.rates = {100.2, 101, 99.5, 99.9, 100.4}});
  const auto bad = against_baseline(collection(older), collection(slower), GateRules{});
  EXPECT_TRUE(bad.regressed());
  EXPECT_THAT(baseline_table(bad), HasSubstr("REGRESSION"));
  EXPECT_FALSE(against_baseline(collection(older), collection(alike), GateRules{}).regressed());
  EXPECT_FALSE(against_baseline(collection(slower), collection(older), GateRules{}).regressed());
}

TEST(Baseline, TooFewLaunchesForAnyVerdictAreReported) {
  std::vector<StoredRun> older, slower;
  add(older, {.rates = {100, 101, 99}});
  add(slower, {.rates = {50, 51, 49}});
  const auto blind = against_baseline(collection(older), collection(slower), GateRules{});
  EXPECT_FALSE(blind.regressed());
  EXPECT_TRUE(blind.undecided.has_value());
  EXPECT_THAT(baseline_table(blind), HasSubstr("inconclusive: too few launches"));
  EXPECT_THAT(baseline_table(blind), HasSubstr("use at least 4 on both sides"));
  add(older, {.rates = {100.5}});
  add(slower, {.rates = {50.5}});
  const auto seeing = against_baseline(collection(older), collection(slower), GateRules{});
  EXPECT_TRUE(seeing.regressed());
  EXPECT_FALSE(seeing.undecided.has_value());
  EXPECT_THAT(baseline_table(seeing), Not(HasSubstr("launches each")));
}

// Five launches are enough for six comparisons, not for seven.
TEST(Baseline, ManyConfigurationsNeedMoreLaunches) {
  std::vector<StoredRun> older, slower, alike;
  for (int devices = 1; devices <= 7; ++devices) {
    if (devices == 7) {
      EXPECT_TRUE(against_baseline(collection(older), collection(slower), GateRules{}).regressed());
    }
    add(older, {.devices = devices, .rates = {100, 101, 99, 100.2, 100.5}});
    add(slower, {.devices = devices, .rates = {50, 51, 49, 50.2, 50.5}});
    add(alike, {.devices = devices, .rates = {100.1, 101, 99.2, 100, 100.4}});
  }
  const auto blind = against_baseline(collection(older), collection(slower), GateRules{});
  EXPECT_FALSE(blind.regressed());
  EXPECT_THAT(blind.undecided.value_or(""), HasSubstr("7 of them have too few launches"));
  EXPECT_THAT(blind.undecided.value_or(""), HasSubstr("use at least 6"));
  const auto same = against_baseline(collection(older), collection(alike), GateRules{});
  EXPECT_FALSE(same.undecided.has_value()) << "what is the same needs no test";
}

TEST(Baseline, SimulatedResultsAreIgnored) {
  std::vector<StoredRun> older, newer;
  add(older, {.rates = {100, 101, 99, 100, 100.5}});
  add(newer, {.rates = {100.2, 101, 99.5, 99.9, 100.4}});
  std::vector<StoredRun> simulated;
  add(simulated, {.rates = {50, 51, 49, 50, 50.5}});
  for (StoredRun& run : simulated) run.result.origin = "simulated by hand";
  newer.insert(newer.end(), simulated.begin(), simulated.end());
  EXPECT_FALSE(against_baseline(collection(older), collection(newer), GateRules{}).regressed());
  EXPECT_THROW(against_baseline(collection(older), collection(simulated), GateRules{}), Error);
}

// Silence about a run that used to work would look like good news.
TEST(Baseline, ARunThatNowFailsIsARegression) {
  std::vector<StoredRun> older, newer;
  add(older, {.rates = {100, 101, 99, 100}});
  add(older, {.devices = 2, .rates = {190, 191, 189, 190}});
  add(newer, {.rates = {100, 101, 99, 100}});
  add(newer, {.devices = 2, .rates = {190, 190}});
  for (size_t i = 4; i < newer.size(); ++i) newer[i].result.error = "it | broke";
  const auto report = against_baseline(collection(older), collection(newer), GateRules{});
  EXPECT_TRUE(report.regressed());
  EXPECT_THAT(baseline_table(report),
              AllOf(HasSubstr("FAILED [1]"), HasSubstr("[1] it | broke\n")));
  EXPECT_THAT(baseline_markdown(report), HasSubstr("FAILED: it \\| broke"));
  EXPECT_THAT(report.notes, IsEmpty());
  add(newer, {.devices = 2, .rates = {190, 191, 189, 190}});  // tried again with success
  EXPECT_FALSE(against_baseline(collection(older), collection(newer), GateRules{}).regressed());
}

// 3 % slower for sure: beyond the threshold, within the limit.
TEST(Baseline, ASlowdownBelowTheLimitPasses) {
  std::vector<StoredRun> older, newer;
  add(older, {.rates = {100, 100.1, 99.9, 100, 100.2}});
  add(newer, {.rates = {97, 97.1, 96.9, 97, 97.2}});
  const auto strict = against_baseline(collection(older), collection(newer), GateRules{});
  EXPECT_TRUE(strict.regressed());
  const auto lax = against_baseline(collection(older), collection(newer), {.max_regression = 0.1});
  EXPECT_FALSE(lax.regressed());
  EXPECT_FALSE(lax.undecided.has_value());
  EXPECT_THAT(baseline_table(lax), HasSubstr("slower, but less than 10 %"));
  const auto between =
      against_baseline(collection(older), collection(newer), {.max_regression = 0.03});
  EXPECT_FALSE(between.regressed()) << "3 % are not significantly more than 3 %";
  EXPECT_THAT(between.undecided.value_or(""),
              HasSubstr("a slowdown of more than 3 % is possible: alexnet:8 x1 native"));
}

TEST(Baseline, AnyInconclusiveComparisonIsReported) {
  std::vector<StoredRun> older, newer;
  add(older, {.rates = {100, 120, 90, 105, 95}});
  add(newer, {.rates = {98, 85, 115, 92, 103}});
  const auto unclear = against_baseline(collection(older), collection(newer), GateRules{});
  EXPECT_FALSE(unclear.regressed());
  EXPECT_THAT(unclear.undecided.value_or(""), HasSubstr("1 of 1 comparisons is inconclusive"));
  EXPECT_THAT(unclear.undecided.value_or(""), HasSubstr("measure more launches"));
}

// Whether it is faster may be open; that it is not slower is known.
TEST(Baseline, WhatIsSurelyNotSlowerPasses) {
  std::vector<StoredRun> older, newer;
  add(older, {.rates = {100, 100.1, 99.9, 100, 100.2}});
  add(newer, {.rates = {100.5, 104, 102, 101, 103}});
  const auto report = against_baseline(collection(older), collection(newer), GateRules{});
  EXPECT_FALSE(report.undecided.has_value()) << *report.undecided;
}

TEST(Baseline, RunsThatAreMissingAreNamed) {
  std::vector<StoredRun> older, newer;
  add(older, {.rates = {100, 101, 99, 100}});
  add(newer, {.rates = {100, 101, 99, 100}});
  add(older, {.devices = 2, .rates = {190, 191, 189, 190}});
  const auto report = against_baseline(collection(older), collection(newer), GateRules{});
  EXPECT_THAT(report.missing, ::testing::ElementsAre("alexnet:8 x2 native"));
  EXPECT_FALSE(report.regressed());
}

TEST(Baseline, ANameInANoteIsNoHtmlInMarkdown) {
  BaselineReport report;
  report.notes = {"ran on <img src=x>"};
  EXPECT_THAT(baseline_markdown(report), HasSubstr("- ran on &lt;img src=x>\n"));
}

TEST(Baseline, NothingInCommonIsAnError) {
  std::vector<StoredRun> older, newer;
  add(older, {.model = "vgg16"});
  add(newer, {});
  EXPECT_THROW(against_baseline(collection(older), collection(newer), GateRules{}), Error);
}

}  // namespace
}  // namespace lockstep
