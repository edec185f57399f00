// What a survey makes of hosts that say anything.
#include "doctor/host_survey.h"

#include <gmock/gmock.h>

#include "doctor/host_checks.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The table about a host that gives one answer to every question.
std::string table_about(const std::string& answer) {
  const std::string script =
      R"(read -r hello; while read -r _ what _; do printf 'answer %s %s\n' "$what" "$0"; done)";
  const ProbeRoute route = {.names = {"a"},
                            .commands = {{.name = "a", .argv = {"sh", "-c", script, answer}}}};
  const HostSurvey all = survey_hosts(route, {.directory = ".", .thorough = false}, "token");
  return table_of(rows_for({.all = all, .version = "1", .program = "p"}, false));
}

TEST(HostSurvey, AnAnswerThatCannotBeReadIsAProblemOfItsHost) {
  for (const char* answer :
       {"no JSON", "3", "[]", R"({"seconds": "late"})", R"({"seconds": 1, "isa": 7})"}) {
    EXPECT_THAT(table_about(answer), HasSubstr("its answers cannot be read")) << answer;
  }
}

TEST(HostSurvey, AnAnswerCommandsNoTerminal) {
  const std::string table = table_about(R"({"seconds": 1, "version": "\u001b]0;x\u0007"})");
  EXPECT_THAT(table, HasSubstr("?]0;x?"));
  EXPECT_THAT(table, Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace lockstep
