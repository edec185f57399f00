#include "comm/socket.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace lockstep {
namespace {

TEST(Endpoint, ReadsNamesNumbersAndBracketedIpv6) {
  EXPECT_EQ(parse_endpoint("node1:2222").text(), "node1:2222");
  EXPECT_EQ(parse_endpoint("[::1]:80").host, "::1");
  EXPECT_EQ(parse_endpoint("[::1]:80").text(), "[::1]:80");
}

TEST(Endpoint, RefusesWhatIsNotHostAndPort) {
  for (const char* text :
       {"", "node1", "node1:", ":22", "node1:0", "node1:65536", "node1:x", "::1:22"}) {
    EXPECT_THROW(parse_endpoint(text), UsageError) << text;
  }
}

TEST(Sockets, ConnectOverIpv4AndIpv6) {
  for (const std::string host : {"127.0.0.1", "::1"}) {
    const Descriptor listener = listen_on({host, 0});
    const Descriptor client = connect_to({host, local_port(listener)}, Seconds{10});
    EXPECT_EQ(local_address(client), host);
    EXPECT_EQ(peer_text(client), (Endpoint{host, local_port(listener)}.text()));
  }
}

TEST(Sockets, ListeningEverywhereTakesIpv4AndIpv6) {
  const Descriptor listener = listen_on({"", 0});
  for (const std::string host : {"127.0.0.1", "::1"}) {
    EXPECT_TRUE(connect_to({host, local_port(listener)}, Seconds{10}));
  }
}

TEST(Sockets, SayWhereNothingAnswers) {
  Descriptor listener = listen_on({"127.0.0.1", 0});
  const Endpoint endpoint{"127.0.0.1", local_port(listener)};
  listener.reset();
  try {
    connect_to(endpoint, Seconds{0});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(endpoint.text()), std::string::npos) << error.what();
  }
  EXPECT_THROW(connect_to({"no.such.host.invalid", 1}, Seconds{0}), Error);
}

}  // namespace
}  // namespace lockstep
