// socket.h: TCP over IPv4 and IPv6, as far as the store needs it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/time.h"

namespace lockstep {

// A file descriptor that its object closes.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  int number() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }
  void reset();

 private:
  int number_ = -1;
};

struct Endpoint {
  std::string host;  // name or number; empty: every address of this machine
  int port = 0;      // 0: any free one

  std::string text() const;  // "node1:2222", "[::1]:2222"
};

// Throws UsageError unless the text is HOST:PORT or [IPV6]:PORT.
Endpoint parse_endpoint(const std::string& text);

Descriptor listen_on(const Endpoint& endpoint);                    // does not block in accept
Descriptor connect_to(const Endpoint& endpoint, Seconds timeout);  // tries again until then

int local_port(const Descriptor& socket);
std::string local_address(const Descriptor& socket);  // numeric: the way to the other side
std::string peer_text(const Descriptor& socket);      // "192.0.2.7:41234", for messages

// All of it, or Error; nothing moving for `timeout` is one too.
void write_all(const Descriptor& socket, std::span<const std::byte> data, Seconds timeout);
void read_all(const Descriptor& socket, std::span<std::byte> data, Seconds timeout);

}  // namespace lockstep
