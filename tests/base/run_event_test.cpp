#include "base/run_event.h"

#include <gtest/gtest.h>

#include <sstream>

namespace lockstep {
namespace {

using Kind = RunEvent::Kind;

TEST(RunEvent, IsParsedFromItsLine) {
  for (const RunEvent& event :
       {RunEvent{Kind::Interrupted}, RunEvent{Kind::Failed, "out of memory"},
        RunEvent{Kind::DiskFull, "cannot write r.json"}, RunEvent{Kind::Log, "Worker 0: step 1"}}) {
    EXPECT_EQ(parse_event_line(event_line(event)), event);
  }
}

TEST(RunEvent, IsOneLineWhateverItsText) {
  EXPECT_EQ(event_line({Kind::Failed, "first\nsecond"}), "@lockstep failed first; second");
}

TEST(RunEvent, IsNotReadFromOrdinaryLines) {
  for (const char* line : {"", "lockstep: interrupted", "@lockstep", "@lockstep ", "@lockstep gone",
                           " @lockstep failed x"}) {
    EXPECT_FALSE(parse_event_line(line)) << line;
  }
}

TEST(RunEvent, IsReportedOnlyToAParentThatReadsEvents) {
  std::ostringstream out, err;
  Context context = {.out = out, .err = err};
  report_event(context, {Kind::Failed, "x"});
  EXPECT_EQ(err.str(), "");
  context.environment = [](const std::string& name) {
    return name == kEventsVariable ? std::optional<std::string>("1") : std::nullopt;
  };
  report_event(context, {Kind::Failed, "x"});
  EXPECT_EQ(err.str(), "@lockstep failed x\n");
}

TEST(RunEvent, ALogLineNeedsAParentOrAUserWhoWantsToSeeIt) {
  std::ostringstream out, err;
  Context context = {.out = out, .err = err};
  report_log_line(context, "hidden", /*verbose=*/false);
  report_log_line(context, "shown", /*verbose=*/true);
  context.environment = [](const std::string&) { return std::optional<std::string>("1"); };
  report_log_line(context, "logged", /*verbose=*/false);
  EXPECT_EQ(err.str(), "shown\n@lockstep log logged\n");
}

}  // namespace
}  // namespace lockstep
