#include "process/ports.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <set>

#include "base/file_descriptor.h"

namespace lockstep {
namespace {

TEST(Ports, FreePortsDiffer) {
  const std::vector<int> ports = free_ports(5);
  EXPECT_EQ(std::set(ports.begin(), ports.end()).size(), 5u);
}

TEST(Ports, AServerTakesAPortAndAcceptsConnections) {
  const FileDescriptor server(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* plain = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(bind(server.number(), plain, length), 0);
  ASSERT_EQ(getsockname(server.number(), plain, &length), 0);
  const int port = ntohs(address.sin_port);
  EXPECT_FALSE(is_free_port(port));
  EXPECT_FALSE(accepts_connections(port));
  ASSERT_EQ(listen(server.number(), 1), 0);
  EXPECT_TRUE(accepts_connections(port));
}

}  // namespace
}  // namespace lockstep
