// link_probe.h: how fast one host reaches another, by a connection of a moment.
#pragma once

#include <string>
#include <thread>

#include "comm/socket.h"
#include "config/json_fwd.h"

namespace lockstep {

// Answers measure_link() of whoever knows the token, one at a time, at a free port.
class EchoServer {
 public:
  explicit EchoServer(const std::string& token);  // throws Error when there is no port
  ~EchoServer();

  int port() const { return port_; }

 private:
  void serve(const std::stop_token& stop);

  std::string token_;
  Descriptor listener_;
  int port_ = 0;
  std::jthread thread_;  // last: joined before the rest goes
};

struct LinkSpeed {
  Seconds latency{};  // of a byte there and back, halved; the median
  double bytes_per_second = 0;
  std::string interface;  // by which it goes out
};
LinkSpeed measure_link(const Endpoint& there, const std::string& token);  // throws Error

// Name, address and speed in Mbit/s (null: unknown) of all but loopback.
Json interface_facts();

}  // namespace lockstep
