#include "comm/process_state.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lockstep {
namespace {

TEST(Process, OfThisProgramRuns) { EXPECT_EQ(state_of(this_process()), ProcessState::Runs); }

TEST(Process, WithAnotherStartIsAnotherProcess) {
  ProcessId mine = this_process();
  ++mine.started;
  EXPECT_EQ(state_of(mine), ProcessState::Gone);
}

TEST(Process, IsSeenStoppedThenGoneThoughStillAZombie) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const ProcessId mine = this_process();
    const bool told = write(ends[1], &mine, sizeof mine) == sizeof mine;
    for (; told;) pause();
    _exit(0);
  }
  ProcessId process;
  ASSERT_EQ(read(ends[0], &process, sizeof process), ssize_t{sizeof process});
  EXPECT_EQ(process.number, child);
  EXPECT_EQ(state_of(process), ProcessState::Runs);

  kill(child, SIGSTOP);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, WUNTRACED), child);
  EXPECT_EQ(state_of(process), ProcessState::Stopped);

  kill(child, SIGKILL);
  siginfo_t info;
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(state_of(process), ProcessState::Gone);
  waitpid(child, &status, 0);
  EXPECT_EQ(state_of(process), ProcessState::Gone);
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace lockstep
