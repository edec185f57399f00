// link_probe.h: measures bandwidth and latency between two hosts with a short connection.
#pragma once

#include <string>
#include <thread>

#include "comm/socket.h"
#include "config/json_fwd.h"

namespace lockstep {

// Serves measure_link() calls that have the token, one at a time, on a free port.
class EchoServer {
 public:
  // Who does not send the token in time is left. Throws Error if there is no free port.
  explicit EchoServer(const std::string& token, Seconds for_a_token = Seconds{5});
  ~EchoServer();

  int port() const { return port_; }

 private:
  void serve(const std::stop_token& stop);

  std::string token_;
  Seconds for_a_token_;
  Descriptor listener_;
  int port_ = 0;
  std::jthread thread_;  // last member: joined before the others are destroyed
};

struct LinkSpeed {
  Seconds latency{};  // median of half the round trip of one byte
  double bytes_per_second = 0;
  std::string interface;  // outgoing interface
};
LinkSpeed measure_link(const Endpoint& there, const std::string& token);  // throws Error

// Name, address and speed in Mbit/s (null: unknown) of all interfaces except loopback.
Json interface_facts();

}  // namespace lockstep
