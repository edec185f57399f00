#include "web/http_listener.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "base/error.h"

namespace lockstep {
namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Addresses addresses_of(const std::string& host, int port) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const bool bracketed = host.starts_with('[') && host.ends_with(']');
  const std::string bare = bracketed ? host.substr(1, host.size() - 2) : host;
  const int failed = getaddrinfo(bare.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (failed != 0) throw Error("cannot listen on {}: {}", host, gai_strerror(failed));
  return {found, freeaddrinfo};
}

}  // namespace

FileDescriptor listen_at(const std::string& host, int port) {
  const Addresses addresses = addresses_of(host, port);
  for (const addrinfo* each = addresses.get(); each; each = each->ai_next) {
    FileDescriptor socket(
        ::socket(each->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, each->ai_protocol));
    if (!socket.is_open()) continue;
    const int yes = 1;
    setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    const bool bound = bind(socket.number(), each->ai_addr, each->ai_addrlen) == 0;
    if (bound && listen(socket.number(), SOMAXCONN) == 0) return socket;
  }
  throw Error("cannot listen on {} port {}: {}", host, port, std::strerror(errno));
}

int port_of(const FileDescriptor& socket) {
  sockaddr_storage address = {};
  socklen_t size = sizeof address;
  getsockname(socket.number(), reinterpret_cast<sockaddr*>(&address), &size);
  const in_port_t port = address.ss_family == AF_INET6
                             ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                             : reinterpret_cast<const sockaddr_in&>(address).sin_port;
  return ntohs(port);
}

Accepted accept_from(const FileDescriptor& listener) {
  sockaddr_storage address = {};
  socklen_t size = sizeof address;
  auto* plain = reinterpret_cast<sockaddr*>(&address);
  Accepted accepted;
  accepted.socket =
      FileDescriptor(accept4(listener.number(), plain, &size, SOCK_CLOEXEC | SOCK_NONBLOCK));
  char text[NI_MAXHOST] = "";
  if (accepted.socket.is_open()) {
    getnameinfo(plain, size, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
  }
  accepted.address = text;
  return accepted;
}

}  // namespace lockstep
