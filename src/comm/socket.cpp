#include "comm/socket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/ranges.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <memory>
#include <set>
#include <thread>

#include "base/error.h"
#include "base/text.h"

namespace lockstep {
namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Addresses resolve(const Endpoint& endpoint, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  addrinfo* found = nullptr;
  const int code = getaddrinfo(endpoint.host.empty() ? nullptr : endpoint.host.c_str(),
                               std::to_string(endpoint.port).c_str(), &hints, &found);
  if (code != 0) throw Error("cannot resolve {}: {}", endpoint.text(), gai_strerror(code));
  return {found, freeaddrinfo};
}

void set_option(const Descriptor& socket, int level, int name, int value) {
  setsockopt(socket.number(), level, name, &value, sizeof value);
}

Descriptor open_socket(const addrinfo& address) {
  Descriptor socket(::socket(address.ai_family, address.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
                             address.ai_protocol));
  if (!socket) throw Error("cannot open a socket: {}", std::strerror(errno));
  return socket;
}

// False when nothing happened for so long.
bool wait_for(const Descriptor& socket, short events, Seconds timeout) {
  pollfd entry{.fd = socket.number(), .events = events, .revents = 0};
  const auto deadline = Clock::now() + timeout;
  for (;;) {
    const Seconds left = deadline - Clock::now();
    const int ready = poll(&entry, 1, std::max(0, static_cast<int>(std::ceil(left.count() * 1e3))));
    if (ready > 0) return true;
    if (ready == 0) return false;
    if (errno != EINTR) throw Error("cannot wait for a socket: {}", std::strerror(errno));
  }
}

bool try_connect(const Descriptor& socket, const addrinfo& address, Seconds timeout) {
  if (connect(socket.number(), address.ai_addr, address.ai_addrlen) == 0) return true;
  if (errno != EINPROGRESS) return false;
  if (!wait_for(socket, POLLOUT, timeout)) {
    errno = ETIMEDOUT;
    return false;
  }
  int error = 0;
  socklen_t length = sizeof error;
  getsockopt(socket.number(), SOL_SOCKET, SO_ERROR, &error, &length);
  errno = error;
  return error == 0;
}

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = sizeof(sockaddr_storage);

  std::string host() const {
    char text[NI_MAXHOST] = "";
    getnameinfo(reinterpret_cast<const sockaddr*>(&storage), length, text, sizeof text, nullptr, 0,
                NI_NUMERICHOST);
    const std::string host = text;  // an IPv4 peer of an IPv6 socket is shown as what it is
    return host.starts_with("::ffff:") ? host.substr(7) : host;
  }
  int port() const {
    return ntohs(storage.ss_family == AF_INET6
                     ? reinterpret_cast<const sockaddr_in6&>(storage).sin6_port
                     : reinterpret_cast<const sockaddr_in&>(storage).sin_port);
  }
};

SocketAddress name_of(const Descriptor& socket, decltype(&getsockname) which) {
  SocketAddress address;
  which(socket.number(), reinterpret_cast<sockaddr*>(&address.storage), &address.length);
  return address;
}

}  // namespace

void Descriptor::reset() {
  if (number_ >= 0) close(number_);
  number_ = -1;
}

std::string Endpoint::text() const {
  const std::string shown = host.empty() ? "*" : host;
  return shown.find(':') == std::string::npos ? fmt::format("{}:{}", shown, port)
                                              : fmt::format("[{}]:{}", shown, port);
}

Endpoint parse_endpoint(const std::string& text) {
  const size_t colon = text.rfind(':');
  const int64_t port =
      colon == std::string::npos ? 0 : whole_number(text.substr(colon + 1)).value_or(0);
  std::string host = text.substr(0, colon);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  const bool ambiguous = !bracketed && host.find(':') != std::string::npos;
  if (port < 1 || port > 65535 || host.empty() || ambiguous) {
    throw UsageError("'{}' is not HOST:PORT; write an IPv6 address in brackets", text);
  }
  return {.host = host, .port = static_cast<int>(port)};
}

Descriptor listen_on(const Endpoint& endpoint) {
  const Addresses addresses = resolve(endpoint, AI_PASSIVE);
  std::string problem;
  for (const bool ipv6 : {true, false}) {  // an IPv6 socket takes IPv4 as well
    for (const addrinfo* a = addresses.get(); a; a = a->ai_next) {
      if ((a->ai_family == AF_INET6) != ipv6) continue;
      Descriptor socket(::socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      if (!socket) continue;
      set_option(socket, SOL_SOCKET, SO_REUSEADDR, 1);
      if (ipv6 && endpoint.host.empty()) set_option(socket, IPPROTO_IPV6, IPV6_V6ONLY, 0);
      if (bind(socket.number(), a->ai_addr, a->ai_addrlen) == 0 &&
          listen(socket.number(), SOMAXCONN) == 0) {
        return socket;
      }
      problem = std::strerror(errno);
    }
  }
  throw Error("cannot listen on {}: {}", endpoint.text(), problem);
}

Descriptor connect_to(const Endpoint& endpoint, Seconds timeout) {
  constexpr Seconds kBetweenTries{0.05};
  const auto deadline = Clock::now() + timeout;
  const Addresses addresses = resolve(endpoint, 0);
  for (;;) {
    std::set<std::string> problems;  // of a name that has several addresses
    for (const addrinfo* a = addresses.get(); a; a = a->ai_next) {
      Descriptor socket = open_socket(*a);
      if (try_connect(socket, *a, deadline - Clock::now())) {
        set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
        return socket;
      }
      const char* firewall = errno == ETIMEDOUT ? " (possibly a firewall)" : "";
      problems.insert(std::strerror(errno) + std::string(firewall));
    }
    if (Clock::now() >= deadline) {
      throw Error("no answer from {} within {:.0f} s: {}", endpoint.text(), timeout.count(),
                  fmt::join(problems, ", "));
    }
    std::this_thread::sleep_for(kBetweenTries);
  }
}

int local_port(const Descriptor& socket) { return name_of(socket, getsockname).port(); }

std::string local_address(const Descriptor& socket) { return name_of(socket, getsockname).host(); }

std::string peer_text(const Descriptor& socket) {
  const SocketAddress peer = name_of(socket, getpeername);
  return Endpoint{peer.host(), peer.port()}.text();
}

void write_all(const Descriptor& socket, std::span<const std::byte> data, Seconds timeout) {
  while (!data.empty()) {
    const ssize_t done = ::send(socket.number(), data.data(), data.size(), MSG_NOSIGNAL);
    if (done >= 0) {
      data = data.subspan(done);
    } else if (errno == EAGAIN) {
      if (!wait_for(socket, POLLOUT, timeout)) throw Error("it does not read any more");
    } else if (errno != EINTR) {
      throw Error("{}", std::strerror(errno));
    }
  }
}

void read_all(const Descriptor& socket, std::span<std::byte> data, Seconds timeout) {
  while (!data.empty()) {
    const ssize_t done = ::recv(socket.number(), data.data(), data.size(), 0);
    if (done > 0) {
      data = data.subspan(done);
    } else if (done == 0) {
      throw Error("it closed the connection");
    } else if (errno == EAGAIN) {
      if (!wait_for(socket, POLLIN, timeout)) throw Error("it does not answer");
    } else if (errno != EINTR) {
      throw Error("{}", std::strerror(errno));
    }
  }
}

}  // namespace lockstep
