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

sockaddr_in loopback(int port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  return address;
}

FileDescriptor tcp_socket() {
  return FileDescriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

int bind_any_port(const FileDescriptor& socket) {
  sockaddr_in address = loopback(0);
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
    const FileDescriptor& socket = sockets.emplace_back(tcp_socket());
    ports.push_back(bind_any_port(socket));
  }
  return ports;
}

bool is_free_port(int port) {
  const FileDescriptor socket = tcp_socket();
  const sockaddr_in address = loopback(port);
  const int on = 1;  // connections that ended a moment ago do not count, as for any server
  setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  return bind(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

bool accepts_connections(int port) {
  const FileDescriptor socket = tcp_socket();
  const sockaddr_in address = loopback(port);
  return connect(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

}  // namespace lockstep
