// What commands are told while they run, and when they are heard.
#include <gmock/gmock.h>

#include <utility>

#include "process/run_commands.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

Command listener(const std::string& script, const std::string& name = "worker 0") {
  return {.name = name, .argv = {"/bin/sh", "-c", script}, .listens = true};
}

TEST(StdinMessages, MessagesReachTheirCommand) {
  const std::vector<Command> plan = {listener("read word; echo got $word", "first"),
                                     listener("read word; echo got $word", "second")};
  std::vector<StdinMessage> messages = {{1, "two\n"}, {0, "one\n"}};
  std::vector<std::string> lines;
  const PlanOutcome outcome =
      run_commands(plan, {},
                   {.line =
                        [&](const OutputLine& line) {
                          lines.push_back(std::to_string(line.command) + ":" + line.text);
                          return Next::Continue;
                        },
                    .messages = [&] { return std::exchange(messages, {}); }});
  EXPECT_EQ(outcome.end, RunEnd::Completed) << outcome.why;
  EXPECT_THAT(lines, UnorderedElementsAre("0:got one", "1:got two"));
}

TEST(StdinMessages, MessagesToAnEndedCommandAreDropped) {
  const std::vector<Command> plan = {listener("exit 0", "gone"),
                                     listener("read word; echo $word", "there")};
  int asked = 0;
  const PlanOutcome outcome =
      run_commands(plan, {}, {.messages = [&]() -> std::vector<StdinMessage> {
                     return {{0, "x\n"}, {1, ++asked > 3 ? "y\n" : ""}};
                   }});
  EXPECT_EQ(outcome.end, RunEnd::Completed) << outcome.why;
}

TEST(StdinMessages, TheStdinOfACommandStaysOpenDuringTheRun) {
  const Command waiting = listener("if read word; then echo got $word; else echo end; fi");
  int polls = 0;
  const PlanOutcome outcome = run_commands(
      std::span(&waiting, 1), {.grace = Seconds(0.3), .interrupted_grace = Seconds(0.3)},
      {.poll = [&] { return ++polls > 2 ? Next::Stop : Next::Continue; }});
  EXPECT_EQ(outcome.end, RunEnd::Interrupted);
  EXPECT_EQ(outcome.commands[0].lines, 0);
}

TEST(StdinMessages, MessagesAreSentWhileNoLineCanBeTaken) {
  const Command talker = listener("echo one; read word; echo two");
  std::vector<std::string> lines;
  bool taking = false;
  int turns = 0, asked = 0;
  const PlanOutcome outcome = run_commands(std::span(&talker, 1), {},
                                           {.line =
                                                [&](const OutputLine& line) {
                                                  EXPECT_TRUE(taking) << line.text;
                                                  EXPECT_GT(asked, 2);
                                                  lines.push_back(line.text);
                                                  return Next::Continue;
                                                },
                                            .poll =
                                                [&] {
                                                  taking = ++turns > 2;
                                                  return Next::Continue;
                                                },
                                            .messages = [&]() -> std::vector<StdinMessage> {
                                              ++asked;
                                              return {{0, lines.empty() ? "" : "go\n"}};
                                            },
                                            .takes_lines = [&] { return taking; }});
  EXPECT_EQ(outcome.end, RunEnd::Completed) << outcome.why;
  EXPECT_THAT(lines, ElementsAre("one", "two"));
}

}  // namespace
}  // namespace lockstep
