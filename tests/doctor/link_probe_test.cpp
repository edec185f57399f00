// The port that a probe of links opens, and strangers who find it.
#include "doctor/link_probe.h"

#include <gtest/gtest.h>
#include <poll.h>

#include "base/error.h"

namespace lockstep {
namespace {

constexpr const char* kToken = "0123456789abcdef0123456789abcdef";

// Whether the other side says anything, or ends the connection, in so many milliseconds.
bool hears(const Descriptor& socket, int milliseconds) {
  pollfd news = {.fd = socket.number(), .events = POLLIN, .revents = 0};
  return poll(&news, 1, milliseconds) > 0;
}

TEST(EchoServer, AnswersWhoHasTheToken) {
  const EchoServer server(kToken);
  EXPECT_GT(measure_link({"127.0.0.1", server.port()}, kToken).bytes_per_second, 0);
  EXPECT_THROW(measure_link({"127.0.0.1", server.port()}, "another token"), Error);
}

TEST(EchoServer, AStrangerWhoSendsAByteNowAndThenIsLeft) {
  const EchoServer server(kToken, Seconds{0.2});
  const Descriptor stranger = connect_to({"127.0.0.1", server.port()}, Seconds{5});
  bool left = false;
  for (int sent = 0; sent < 79 && !left; ++sent) {  // one less than a greeting has
    try {
      write_all(stranger, std::as_bytes(std::span(kToken, 1)), Seconds{5});
    } catch (const Error&) {  // the connection has ended
      left = true;
    }
    left = left || hears(stranger, 20);
  }
  EXPECT_TRUE(left);
}

}  // namespace
}  // namespace lockstep
