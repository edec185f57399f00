#include "process/run_commands.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "base/error.h"
#include "process/processes.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

Command shell(const std::string& script, const std::string& name = "worker 0") {
  return {.name = name, .argv = {"/bin/sh", "-c", script}};
}

struct Ran {
  PlanOutcome outcome;
  std::vector<std::string> lines;  // "0:text"
};

Ran run(const std::vector<Command>& plan, RunLimits limits = {}) {
  Ran ran;
  limits.grace = Seconds(0.3);
  ran.outcome = run_commands(plan, limits, {.line = [&](const OutputLine& line) {
                               ran.lines.push_back(std::to_string(line.command) + ":" + line.text);
                               return Next::Continue;
                             }});
  return ran;
}

TEST(RunCommands, PassesOnTheLinesOfBothStreams) {
  const Ran ran = run({shell("echo one; echo two >&2; echo three")});
  EXPECT_EQ(ran.outcome.end, RunEnd::Completed) << ran.outcome.why;
  EXPECT_THAT(ran.lines, UnorderedElementsAre("0:one", "0:two", "0:three"));
  EXPECT_EQ(ran.outcome.commands.at(0).lines, 3);
  EXPECT_EQ(ran.outcome.commands[0].status->code, 0);
}

TEST(RunCommands, ACommandHasNoTerminal) {
  // The sixth word is the session, and nobody has given this one a terminal.
  const Ran ran = run({shell("read -r _ _ _ _ _ session _ </proc/$$/stat; [ $session = $$ ]")});
  EXPECT_EQ(ran.outcome.end, RunEnd::Completed) << ran.outcome.why;
}

TEST(RunCommands, RunsCommandsAtTheSameTime) {
  const std::string directory = ::testing::TempDir();
  const std::string fifo = directory + "/lockstep-fifo-" + std::to_string(getpid());
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  // Each can only go on while the other runs.
  const Ran ran =
      run({shell("echo hello > '" + fifo + "'"), shell("cat '" + fifo + "'", "reader")});
  EXPECT_EQ(ran.outcome.end, RunEnd::Completed) << ran.outcome.why;
  EXPECT_THAT(ran.lines, ElementsAre("1:hello"));
  std::filesystem::remove(fifo);
}

TEST(RunCommands, AMissingProgramIsAFailureThatNamesIt) {
  const Ran ran = run({{.name = "worker 3", .argv = {"no-such-program-here"}}});
  EXPECT_EQ(ran.outcome.end, RunEnd::Failed);
  EXPECT_EQ(ran.outcome.why,
            "cannot start worker 3: program 'no-such-program-here' not found on PATH");
  const Ran path = run({{.name = "worker 3", .argv = {"/no/such/program"}}});
  EXPECT_EQ(path.outcome.why, "cannot start worker 3: /no/such/program: No such file or directory");
  const Ran directory =
      run({{.name = "w", .argv = {"/bin/true"}, .env = {}, .directory = "/no/dir"}});
  EXPECT_EQ(directory.outcome.why, "cannot start w: /no/dir: No such file or directory");
}

TEST(RunCommands, AFailureEndsTheOthersAndKeepsTheLastLines) {
  const Ran ran = run({shell("exec sleep 1000", "worker 0"),
                       shell("for i in $(seq 100); do echo line $i; done; exit 3", "worker 1")});
  EXPECT_EQ(ran.outcome.end, RunEnd::Failed);
  EXPECT_EQ(ran.outcome.why, "worker 1 ended with exit code 3");
  EXPECT_EQ(ran.outcome.culprit, 1u);
  EXPECT_TRUE(ran.outcome.commands[0].ended_by_us);
  EXPECT_THAT(ran.outcome.commands[1].last_lines, SizeIs(PlanOutcome::kLastLines));
  EXPECT_EQ(ran.outcome.commands[1].last_lines.back(), "line 100");
}

TEST(RunCommands, ASignalIsAFailureWithItsName) {
  EXPECT_EQ(run({shell("kill -SEGV $$")}).outcome.why,
            "worker 0 ended with signal 11 (Segmentation fault)");
}

TEST(RunCommands, AnExpectedExitCodeIsNoFailure) {
  Command command = shell("exit 3");
  command.expected_exit_code = 3;
  EXPECT_EQ(run({command}).outcome.end, RunEnd::Completed);
}

TEST(RunCommands, OnlyTheLastOfAMillionLinesAreKept) {
  int64_t lines = 0;
  const std::vector<Command> plan = {shell("seq 1000000")};
  const PlanOutcome outcome = run_commands(plan, {}, {.line = [&](const OutputLine&) {
                                             ++lines;
                                             return Next::Continue;
                                           }});
  EXPECT_EQ(outcome.end, RunEnd::Completed) << outcome.why;
  EXPECT_EQ(lines, 1'000'000);
  EXPECT_THAT(outcome.commands.at(0).last_lines, SizeIs(PlanOutcome::kLastLines));
  EXPECT_EQ(outcome.commands[0].last_lines.back(), "1000000");
}

TEST(RunCommands, APartialLineIsPassedOnAsPartial) {
  bool whole = true;
  std::string text;
  const std::vector<Command> plan = {shell("printf 'total images/sec: 20'")};
  run_commands(plan, {}, {.line = [&](const OutputLine& line) {
                 whole = line.whole;
                 text = line.text;
                 return Next::Continue;
               }});
  EXPECT_EQ(text, "total images/sec: 20");
  EXPECT_FALSE(whole);
}

TEST(RunCommands, GarbageBecomesPrintable) {
  const Ran ran = run({shell("head -c 1000000 /dev/urandom; printf '\\nend\\n'")});
  EXPECT_EQ(ran.outcome.end, RunEnd::Completed) << ran.outcome.why;
  EXPECT_EQ(ran.lines.back(), "0:end");
  for (const std::string& line : ran.lines) EXPECT_EQ(line.find('\x1b'), std::string::npos);
}

TEST(RunCommands, AProcessThatClosesItsOutputIsStillWaitedFor) {
  const Ran ran =
      run({shell("exec >&- 2>&-; i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done; exit 7")});
  EXPECT_EQ(ran.outcome.why, "worker 0 ended with exit code 7");
}

TEST(RunCommands, AHangIsEnded) {
  const Ran ran = run({shell("exec sleep 1000")}, {.time = Seconds(0.3)});
  EXPECT_EQ(ran.outcome.end, RunEnd::TimedOut);
  EXPECT_THAT(ran.outcome.why, HasSubstr("timeout after"));
}

TEST(RunCommands, ProcessesThatIgnoreSigtermAreKilled) {
  const std::vector<Command> plan = {
      shell("trap '' TERM; echo $$; sleep 1000 & echo $!; wait; sleep 1000")};
  std::vector<pid_t> deaf;
  const PlanOutcome outcome =
      run_commands(plan, {.interrupted_grace = Seconds(0.3)},
                   {.line =
                        [&](const OutputLine& line) {
                          deaf.push_back(static_cast<pid_t>(std::stol(line.text)));
                          return Next::Continue;
                        },
                    .poll = [&] { return deaf.size() == 2 ? Next::Stop : Next::Continue; }});
  ASSERT_THAT(deaf, SizeIs(2));
  for (const pid_t process : deaf) EXPECT_TRUE(ends_soon(process)) << process;
  EXPECT_EQ(outcome.commands[0].status->code, SIGKILL);
}

TEST(RunCommands, AStoppedProcessIsEndedToo) {
  const Ran ran = run({shell("kill -STOP $$; exit 0")}, {.time = Seconds(0.3)});
  EXPECT_EQ(ran.outcome.end, RunEnd::TimedOut);
}

TEST(RunCommands, SilenceIsNoticed) {
  const Ran ran = run({shell("echo hello; exec sleep 1000")}, {.silence = Seconds(0.3)});
  EXPECT_EQ(ran.outcome.end, RunEnd::Silent);
  EXPECT_THAT(ran.outcome.why, HasSubstr("timeout: no output for"));
}

TEST(RunCommands, ReadingAnInputFileIsNoSilence) {
  const std::string path = ::testing::TempDir() + "/lockstep-slow-" + std::to_string(getpid());
  std::ofstream(path) << "abcdefgh";
  std::vector<Command> plan = {shell("while [ -n \"$(head -c 1)\" ]; do sleep 0.1; done")};
  plan[0].input_file = path;
  EXPECT_EQ(run_commands(plan, {.silence = Seconds(0.6)}, {}).end, RunEnd::Completed);
  plan[0] = shell("head -c 1; exec sleep 1000");
  plan[0].input_file = path;
  EXPECT_EQ(run_commands(plan, {.silence = Seconds(0.6)}, {}).end, RunEnd::Silent);
  std::filesystem::remove(path);
}

TEST(RunCommands, ACommandThatIsStoppedForLongIsAFailureWithItsName) {
  const PlanOutcome outcome = run_commands(std::vector<Command>{shell("kill -STOP $$", "mpirun")},
                                           {.stopped = Seconds(0.3)}, {});
  EXPECT_EQ(outcome.end, RunEnd::Failed);
  EXPECT_THAT(outcome.why, StartsWith("mpirun was stopped by a signal"));
}

TEST(RunCommands, ACommandThatIsStoppedForAMomentIsNot) {
  const std::vector<Command> plan = {shell("p=$$; (sleep 0.3; kill -CONT $p) & kill -STOP $p")};
  EXPECT_EQ(run_commands(plan, {.stopped = Seconds(1000)}, {}).end, RunEnd::Completed);
}

// mpirun has to remove what it made.
TEST(RunCommands, AnExceptionOfTheCallerAsksProcessesToStopFirst) {
  const std::string path = ::testing::TempDir() + "/lockstep-tidied-" + std::to_string(getpid());
  const std::vector<Command> plan = {shell(
      "trap 'echo x >" + path + "; exit 0' TERM; echo ready; while :; do sleep 1000 & wait; done")};
  const auto fail = [](const OutputLine&) -> Next { throw Error("cannot write"); };
  EXPECT_THROW(run_commands(plan, {.grace = Seconds(1000)}, {.line = fail}), Error);
  EXPECT_TRUE(std::filesystem::exists(path));
  std::filesystem::remove(path);
}

TEST(RunCommands, TheGroupOfAnEndedProcessIsKilled) {
  const Ran ran = run({shell("sleep 1000 & echo $!")});
  EXPECT_EQ(ran.outcome.end, RunEnd::Completed) << ran.outcome.why;
  ASSERT_THAT(ran.lines, SizeIs(1));
  EXPECT_TRUE(ends_soon(static_cast<pid_t>(std::stol(ran.lines[0].substr(2)))));
}

// One that left the group keeps the pipe open for as long as it lives.
TEST(RunCommands, AnEscapedProcessIsNotWaitedFor) {
  const std::string note = ::testing::TempDir() + "/lockstep-pid-" + std::to_string(getpid());
  const Ran ran = run({shell("setsid sh -c 'echo $$ > " + note + "; exec sleep 1000' & " +
                             "while [ ! -s " + note + " ]; do sleep 0.01; done; echo done")});
  EXPECT_EQ(ran.outcome.end, RunEnd::Completed) << ran.outcome.why;
  pid_t escaped = 0;
  std::ifstream(note) >> escaped;
  ASSERT_GT(escaped, 0);
  kill(escaped, SIGKILL);
  std::filesystem::remove(note);
}

TEST(RunCommands, ServersAreEndedWhenTheWorkersAreDone) {
  Command server = shell("exec sleep 1000", "server 0");
  server.role = Command::Role::Server;
  const Ran ran = run({server, shell("echo work", "worker 0")});
  EXPECT_EQ(ran.outcome.end, RunEnd::Completed) << ran.outcome.why;
  EXPECT_TRUE(ran.outcome.commands[0].ended_by_us);
  EXPECT_TRUE(ran.outcome.commands[0].status.has_value());
}

TEST(RunCommands, AServerThatFailsEndsTheRun) {
  Command server = shell("exit 1", "server 0");
  server.role = Command::Role::Server;
  const Ran ran = run({server, shell("exec sleep 1000")});
  EXPECT_EQ(ran.outcome.why, "server 0 ended with exit code 1");
}

TEST(RunCommands, StopsWhenALineSaysSo) {
  const std::vector<Command> plan = {shell("echo enough; exec sleep 1000")};
  const PlanOutcome outcome =
      run_commands(plan, {}, {.line = [](const OutputLine&) { return Next::Stop; }});
  EXPECT_EQ(outcome.end, RunEnd::Stopped);
  EXPECT_TRUE(outcome.commands.at(0).ended_by_us);
}

TEST(RunCommands, StopsWhenAsked) {
  const std::vector<Command> plan = {shell("exec sleep 1000")};
  const PlanOutcome outcome = run_commands(plan, {}, {.poll = [] { return Next::Stop; }});
  EXPECT_EQ(outcome.end, RunEnd::Interrupted);
}

TEST(RunCommands, AStoppingProcessIsKilledWhenNobodyWaits) {
  const std::vector<Command> plan = {shell("trap '' TERM; echo deaf; exec sleep 1000")};
  bool deaf = false, asked = false;
  const PlanOutcome outcome = run_commands(plan, {.interrupted_grace = Seconds(1000)},
                                           {.line =
                                                [&](const OutputLine&) {
                                                  deaf = true;
                                                  return Next::Continue;
                                                },
                                            .poll =
                                                [&] {
                                                  if (asked) throw Error("lost the launcher");
                                                  asked = deaf;
                                                  return deaf ? Next::Stop : Next::Continue;
                                                }});
  EXPECT_EQ(outcome.end, RunEnd::Interrupted);
  EXPECT_EQ(outcome.commands.at(0).status->code, SIGKILL);
}

// Of these are mpirun, which ends its ranks, and the one that can cancel a batch job.
TEST(RunCommands, AProcessThatDoesNotStopGetsSigtermBeforeSigkill) {
  std::vector<Command> plan = {shell(
      "trap '' USR1; trap 'echo tidied; exit 3' TERM; echo ready; while :; do sleep 1000 & wait; "
      "done")};
  plan[0].stop_signal = SIGUSR1;
  for (const bool in_time : {true, false}) {
    std::vector<std::string> lines;
    bool asked = false;
    const auto line = [&](const OutputLine& output) {
      lines.push_back(output.text);
      return Next::Continue;
    };
    const auto poll = [&] {
      if (lines.empty()) return Next::Continue;
      if (std::exchange(asked, true) && !in_time) throw Error("nobody waits");
      return Next::Stop;
    };
    const PlanOutcome outcome = run_commands(
        plan, {.grace = Seconds(1000), .interrupted_grace = Seconds(in_time ? 0.3 : 1000)},
        {.line = line, .poll = poll});
    EXPECT_EQ(outcome.end, RunEnd::Interrupted);
    EXPECT_THAT(lines, ElementsAre("ready", "tidied"));
    EXPECT_EQ(outcome.commands.at(0).status->code, 3);
  }
}

TEST(RunCommands, GivesEnvironmentAndDirectoryAndNoInput) {
  Command command = shell("pwd; echo \"$LOCKSTEP_TEST\"; wc -c");
  command.env = {{"LOCKSTEP_TEST", "a b;$(x)"}};
  command.directory = "/";
  EXPECT_THAT(run({command}).lines, ElementsAre("0:/", "0:a b;$(x)", EndsWith("0")));
}

TEST(RunCommands, ChildrenInheritNoOpenFiles) {
  const int leaky = open("/dev/null", O_RDONLY);  // not closed on exec
  const int far = fcntl(leaky, F_DUPFD, 50);
  const Ran ran = run({{.name = "ls", .argv = {"ls", "/proc/self/fd"}}});
  EXPECT_THAT(ran.lines, ElementsAre("0:0", "0:1", "0:2", "0:3"));  // 3: the directory itself
  close(leaky);
  close(far);
}

TEST(RunCommands, ACommandThatFailsAloneDoesNotEndTheOthers) {
  std::vector<Command> plan = {shell("exit 3", "broken"), {.name = "absent", .argv = {"/no/such"}}};
  for (Command& command : plan) command.fails_alone = true;
  plan.push_back(shell("read word; echo $word", "patient"));
  plan.back().listens = true;
  int asked = 0;
  const PlanOutcome outcome =
      run_commands(plan, {}, {.messages = [&]() -> std::vector<StdinMessage> {
                     return {{2, ++asked > 3 ? "go\n" : ""}};
                   }});
  EXPECT_EQ(outcome.end, RunEnd::Completed) << outcome.why;
  EXPECT_EQ(outcome.commands.at(0).status->code, 3);
  EXPECT_FALSE(succeeded(*outcome.commands.at(0).status, plan[0]));
  EXPECT_FALSE(outcome.commands.at(1).status.has_value());
  EXPECT_TRUE(succeeded(*outcome.commands.at(2).status, plan[2]));
}

TEST(RunCommands, ACommandReadsItsInputFile) {
  const std::string path = ::testing::TempDir() + "/lockstep-input-" + std::to_string(getpid());
  std::ofstream(path) << "from the file\n";
  const Ran ran = run({{.name = "reader", .argv = {"cat"}, .input_file = path}});
  std::filesystem::remove(path);
  EXPECT_THAT(ran.lines, ElementsAre("0:from the file"));
  const Ran missing = run({{.name = "reader", .argv = {"cat"}, .input_file = "/no/such/file"}});
  EXPECT_EQ(missing.outcome.end, RunEnd::Failed);
  EXPECT_THAT(missing.outcome.why, HasSubstr("/no/such/file: No such file or directory"));
}

}  // namespace
}  // namespace lockstep
