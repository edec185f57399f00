#include "app/commands/gate_flags.h"

#include <gmock/gmock.h>

#include <sstream>

#include "base/error.h"
#include "base/exit_code.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::vector<std::string> kKinds = {"slower", "failed", "missing", "inconclusive"};

struct Concluded {
  int code;
  std::string err;
};
Concluded conclude(const GateFindings& findings, const std::vector<std::string>& fail_on) {
  std::ostringstream err;
  const int code = conclude_gate(findings, {.fail_on = fail_on}, err);
  return {code, err.str()};
}

void read(GateOptions& options, const std::vector<std::string>& words) {
  parse({.command = "x", .summary = "", .flags = gate_flags(options, kKinds)}, words);
  check_gate(options);
}

TEST(Gate, FindingsThatAreListedFailAndOthersAreNotes) {
  const GateFindings slower = {.all = 3, .base = "the baseline", .slower = {"a"}};
  EXPECT_EQ(conclude(slower, {"slower"}).code, kFailure);
  EXPECT_EQ(conclude(slower, {"slower"}).err,
            "lockstep: 1 of 3 runs is slower than the baseline: a\n");
  EXPECT_EQ(conclude(slower, {"failed"}).code, kSuccess);
  EXPECT_THAT(conclude(slower, {}).err, StartsWith("note: 1 of 3 runs is slower"));
  const GateFindings missing = {.all = 3, .base = "the baseline", .slower = {}, .missing = {"b"}};
  EXPECT_EQ(conclude(missing, {"missing"}).code, kFailure);
  EXPECT_EQ(conclude(missing, {"slower", "failed", "inconclusive"}).code, kSuccess);
}

TEST(Gate, WhatIsInconclusiveIsNeverSilent) {
  const GateFindings findings = {
      .all = 1, .base = "the baseline", .slower = {}, .inconclusive = "who knows"};
  EXPECT_EQ(conclude(findings, {"slower", "inconclusive"}).code, kUndecided);
  EXPECT_EQ(conclude(findings, {"slower"}).code, kSuccess);
  EXPECT_EQ(conclude(findings, {"slower"}).err, "note: who knows\n");
  const GateFindings both = {
      .all = 2, .base = "the baseline", .slower = {"a"}, .inconclusive = "who knows"};
  EXPECT_EQ(conclude(both, {"slower", "inconclusive"}).code, kFailure) << "a regression is sure";
}

TEST(Gate, AnUnknownFindingIsExplained) {
  GateOptions options;
  try {
    read(options, {"--fail-on=slowr"});
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("unknown value 'slowr'; did you mean slower? Use none, or "
                                        "some of slower,failed,missing,inconclusive"));
  }
  EXPECT_THROW(read(options, {"--fail-on=none,slower"}), UsageError);
  read(options, {"--fail-on=none"});
  EXPECT_TRUE(options.fail_on.empty());
}

TEST(Gate, AMaximumFailsWithoutFurtherOptionsAndIsNotBelowTheThreshold) {
  GateOptions options;
  read(options, {"--max-regression=10%"});
  EXPECT_THAT(options.fail_on, ::testing::ElementsAre("slower", "inconclusive"));
  EXPECT_DOUBLE_EQ(options.rules.limit(), 0.9);
  EXPECT_THROW(read(options, {"--max-regression=1%"}), UsageError);
  read(options, {"--max-regression=1%", "--threshold=0.5%"});
}

}  // namespace
}  // namespace lockstep
