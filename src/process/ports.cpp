#include "process/ports.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/file_descriptor.h"

namespace lockstep {
namespace {

int bind_any_port(const FileDescriptor& socket) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* plain = reinterpret_cast<sockaddr*>(&address);
  if (bind(socket.number(), plain, length) != 0 ||
      getsockname(socket.number(), plain, &length) != 0) {
    throw Error("no free port: {}", std::strerror(errno));
  }
  return ntohs(address.sin_port);
}

}  // namespace

std::vector<int> free_ports(int count) {
  std::vector<FileDescriptor> sockets;  // kept open until all are found, so that no port repeats
  std::vector<int> ports;
  for (int i = 0; i < count; ++i) {
    const FileDescriptor& socket =
        sockets.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ports.push_back(bind_any_port(socket));
  }
  return ports;
}

}  // namespace lockstep
