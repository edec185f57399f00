// Gloo's connections are not authenticated: whoever gets hold of one can only end the run.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "support/ranks.h"

namespace lockstep {
namespace {

// Instead of what a rank sends, on all connections of this process.
void send_foreign_bytes() {
  const std::string noise(4096, '\xff');
  for (int file = 3; file < 1024; ++file) {
    sockaddr_storage peer = {};
    socklen_t size = sizeof peer;
    if (getpeername(file, reinterpret_cast<sockaddr*>(&peer), &size) != 0) continue;
    if (peer.ss_family == AF_INET || peer.ss_family == AF_INET6) {
      send(file, noise.data(), noise.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    }
  }
}

TEST(ForeignBytesDeathTest, EndTheProcessWithALineThatSaysSo) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(find_rank_runner("gloo").run(2, {},
                                           [](Communicator& ranks) {
                                             ranks.barrier();
                                             if (ranks.rank() == 0) send_foreign_bytes();
                                             for (;;) ranks.barrier();
                                           }),
              ::testing::ExitedWithCode(1),
              "a connection between ranks brought what no rank sends");
}

}  // namespace
}  // namespace lockstep
