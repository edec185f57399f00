#include "framework/framework_line.h"

#include <gmock/gmock.h>

#include <cmath>

#include "base/error.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

template <typename Event>
Event parsed(const std::string& json) {
  const auto event = parse_framework_line("@lockstep/1 " + json);
  EXPECT_TRUE(event && std::holds_alternative<Event>(*event)) << json;
  return std::get<Event>(*event);
}

std::string refusal(const std::string& line) {
  try {
    parse_framework_line(line);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(FrameworkLine, OrdinaryOutputIsNoEvent) {
  for (const char* line :
       {"", "step 1", "lockstep/1 {}", " @lockstep/1 {}", "@lockstep failed x"}) {
    EXPECT_FALSE(parse_framework_line(line)) << line;
  }
}

TEST(FrameworkLine, HelloNamesTheFramework) {
  const auto hello = parsed<HelloEvent>(
      R"({"event": "hello", "framework": "PyTorch", "version": "2.15", "libraries": {"a": "1"}})");
  EXPECT_EQ(hello.framework, "PyTorch");
  EXPECT_EQ(hello.libraries.at("a"), "1");
  EXPECT_EQ(hello.device, "") << "unless it says so";
}

TEST(FrameworkLine, AStepHasTimesAndThePhasesThatAreKnown) {
  const auto step =
      parsed<StepEvent>(R"({"event": "step", "step": 2, "begin": 1.5, "end": 2.25, "loss": 7.5,)"
                        R"( "phases": {"forward": 0.25, "exposed_communication": 0}})");
  EXPECT_EQ(step.step, 2);
  EXPECT_EQ(step.end - step.begin, Seconds(0.75));
  EXPECT_EQ(step.loss, 7.5);
  EXPECT_EQ(step.phases[static_cast<size_t>(Phase::Forward)], 0.25);
  EXPECT_EQ(step.phases[static_cast<size_t>(Phase::Communication)], 0);
  EXPECT_FALSE(step.phases[static_cast<size_t>(Phase::Backward)]);
}

TEST(FrameworkLine, ALossThatIsNotANumberIsUnknownOrNan) {
  EXPECT_FALSE(parsed<StepEvent>(R"({"event": "step", "step": 1, "begin": 1, "end": 2})").loss);
  const auto step =
      parsed<StepEvent>(R"({"event": "step", "step": 1, "begin": 1, "end": 2, "loss": "nan"})");
  EXPECT_TRUE(step.loss && std::isnan(*step.loss));
  const auto check = parsed<CheckEvent>(R"({"event": "check", "losses": [1.5, "inf"]})");
  EXPECT_TRUE(std::isinf(check.losses.at(1)));
}

TEST(FrameworkLine, OtherEventsAreRead) {
  EXPECT_EQ(parsed<NetworkEvent>(R"({"event": "network", "parameters": 5})").parameters, 5);
  EXPECT_EQ(parsed<CheckEvent>(R"({"event": "check", "losses": [1, 2]})").losses.size(), 2u);
  EXPECT_EQ(parsed<TrialEvent>(R"({"event": "trial", "mode": "eager", "seconds": 0.5})").mode,
            "eager");
  EXPECT_EQ(parsed<TrialEvent>(R"({"event": "trial", "mode": "eager", "problem": "no compiler"})")
                .problem,
            "no compiler");
  EXPECT_EQ(parsed<DoneEvent>(R"({"event": "done", "peak_memory_bytes": 7})").peak_memory_bytes, 7);
}

TEST(FrameworkLine, WhatAScriptSaysCommandsNoTerminal) {
  EXPECT_EQ(
      parsed<TrialEvent>(R"({"event": "trial", "mode": "x", "problem": "\u001b[2J"})").problem,
      "?[2J");
}

TEST(FrameworkLine, NonsenseIsRefusedWithTheReason) {
  EXPECT_THAT(refusal("@lockstep/2 {}"), HasSubstr("version 1"));
  EXPECT_THAT(refusal("@lockstep/1 {"), HasSubstr("is not JSON"));
  EXPECT_THAT(refusal(R"(@lockstep/1 {"event": "wave"})"), HasSubstr("no event 'wave'"));
  EXPECT_THAT(refusal(R"(@lockstep/1 {"event": "step", "step": 0, "begin": 1, "end": 2})"),
              HasSubstr("count from 1"));
  EXPECT_THAT(refusal(R"(@lockstep/1 {"event": "step", "step": 1, "begin": 2, "end": 1})"),
              HasSubstr("ends before it begins"));
  EXPECT_THAT(
      refusal(
          R"(@lockstep/1 {"event": "step", "step": 1, "begin": 1, "end": 2, "phases": {"x": 1}})"),
      HasSubstr("no phase 'x'"));
}

}  // namespace
}  // namespace lockstep
