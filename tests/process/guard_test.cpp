// What happens to processes when the one that started them is killed.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "process/guarded_directory.h"
#include "process/processes.h"
#include "process/run_commands.h"
#include "support/temporary_directory.h"
#include "support/wait_until.h"

namespace lockstep {
namespace {

// In a process of its own: runs a plan and writes the numbers that the children print to `pipe`.
[[noreturn]] void run_plan(int pipe, const std::string& script, const std::string& legacy,
                           std::optional<Seconds> longest_stop = {}) {
  const std::vector<Command> plan = {{.name = "worker 0", .argv = {"/bin/sh", "-c", script}}};
  run_commands(plan, {},
               {.line =
                    [&](const OutputLine& line) {
                      const pid_t pid = static_cast<pid_t>(std::stol(line.text));
                      [[maybe_unused]] const ssize_t count = write(pipe, &pid, sizeof pid);
                      return Next::Continue;
                    },
                .legacy = legacy,
                .longest_stop = longest_stop});
  _exit(0);
}

void kill_after_start(const std::string& script, int children, const std::string& legacy = "") {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t runner = fork();
  if (runner == 0) run_plan(ends[1], script, legacy);
  std::vector<pid_t> pids(static_cast<size_t>(children));
  for (pid_t& pid : pids) {
    ASSERT_EQ(read(ends[0], &pid, sizeof pid), static_cast<ssize_t>(sizeof pid));
  }
  kill(runner, SIGKILL);
  waitpid(runner, nullptr, 0);
  for (const pid_t pid : pids) EXPECT_TRUE(ends_soon(pid)) << pid;
  close(ends[0]);
  close(ends[1]);
}

TEST(Guard, ChildrenAndGrandchildrenOfAKilledParentAreEnded) {
  kill_after_start("echo $$; sleep 1000 & echo $!; wait", 2);
}

TEST(Guard, ChildrenThatIgnoreSigtermAreKilled) {
  kill_after_start("trap '' TERM; echo $$; sleep 1000 & echo $!; wait; sleep 1000", 2);
}

TEST(Guard, TheDirectoryOfAKilledParentIsRemoved) {
  const TemporaryDirectory temporary;
  const std::string legacy = temporary.path("run");
  std::filesystem::create_directories(legacy + "/deep");
  kill_after_start("echo $$; exec sleep 1000", 1, legacy);
  EXPECT_TRUE(wait_until([&] { return !std::filesystem::exists(legacy); }));
}

// In a process of its own: makes a directory with a file, writes its path to `pipe` and is killed.
[[noreturn]] void make_directory(int pipe, const std::filesystem::path& inside) {
  const GuardedDirectory directory(inside);
  std::ofstream(directory.path() / "file") << "text";
  const std::string path = directory.path().string() + "\n";
  [[maybe_unused]] const ssize_t count = write(pipe, path.data(), path.size());
  raise(SIGKILL);
  _exit(0);
}

TEST(GuardedDirectory, GoesWithAProcessThatIsKilled) {
  const TemporaryDirectory temporary;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t runner = fork();
  if (runner == 0) make_directory(ends[1], temporary.path());
  char made[4096] = "";
  ASSERT_GT(read(ends[0], made, sizeof made), 1);
  waitpid(runner, nullptr, 0);
  EXPECT_TRUE(wait_until([&] { return std::filesystem::is_empty(temporary.path()); })) << made;
  close(ends[0]);
  close(ends[1]);
}

TEST(Guard, AParentThatIsStoppedTooLongIsKilledAndItsChildrenAreEnded) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t runner = fork();
  if (runner == 0) run_plan(ends[1], "echo $$; exec sleep 1000", "", Seconds(0.05));
  pid_t child = 0;
  ASSERT_EQ(read(ends[0], &child, sizeof child), static_cast<ssize_t>(sizeof child));
  kill(runner, SIGSTOP);
  int status = 0;
  ASSERT_EQ(waitpid(runner, &status, 0), runner);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  EXPECT_TRUE(ends_soon(child));
  close(ends[0]);
  close(ends[1]);
}

TEST(Guard, TheDirectoryOfAParentThatEndsNormallyStays) {
  const TemporaryDirectory temporary;
  const std::vector<Command> plan = {{.name = "worker 0", .argv = {"true"}}};
  run_commands(plan, {}, {.legacy = temporary.path().string()});
  EXPECT_TRUE(std::filesystem::exists(temporary.path()));
}

}  // namespace
}  // namespace lockstep
