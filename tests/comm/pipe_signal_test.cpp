#include "comm/pipe_signal.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <thread>

namespace lockstep {
namespace {

int write_to_nobody() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 0;
  close(ends[1]);
  const int error = write(ends[0], "x", 1) < 0 ? errno : 0;
  close(ends[0]);
  return error;
}

TEST(PipeSignal, DoesNotEndAProcessInsideTheScope) {
  for (int round = 0; round < 2; ++round) {
    const WithoutPipeSignal scope;
    EXPECT_EQ(write_to_nobody(), EPIPE);
  }
}

TEST(PipeSignal, DoesNotReachThreadsStartedInTheScope) {
  const WithoutPipeSignal scope;
  std::thread([] { EXPECT_EQ(write_to_nobody(), EPIPE); }).join();
}

TEST(PipeSignalDeathTest, EndsTheProcessAsBeforeOutsideTheScope) {
  EXPECT_EXIT(
      {
        { const WithoutPipeSignal scope; }
        write_to_nobody();
        std::exit(0);
      },
      ::testing::KilledBySignal(SIGPIPE), "");
}

}  // namespace
}  // namespace lockstep
