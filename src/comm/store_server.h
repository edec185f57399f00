// store_server.h: the server of the store, run by the launcher or by rank 0.
//
// One thread serves all connections with poll. Whoever does not begin with the run's token is a
// stranger: at most a few hundred bytes of it are read, it has little time, and there are never
// more than a few of them; so strangers cannot exhaust threads, memory or descriptors, and the run
// goes on. Every one that is dropped is logged, a flood of them thinly.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "base/time.h"
#include "comm/socket.h"

namespace lockstep {

struct StoreServerOptions {
  Endpoint endpoint = {};        // port 0: any free one
  std::string token = {};        // at least 16 characters
  std::string keeper = {};       // who runs it, for messages: "rank 0 (node1)"
  Seconds stranger_timeout{10};  // to show the token
  Seconds farewell_timeout{2};   // without a request, at the end
  int most_strangers = 64;       // at once; the oldest makes room
};

class StoreServer {
 public:
  explicit StoreServer(const StoreServerOptions& options);  // listens when it returns
  // Serves on until the members have hung up or ask nothing more: who asks last still gets its
  // answer.
  ~StoreServer();

  int port() const { return port_; }
  int64_t dropped() const;  // connections that were not let in, or broke the protocol

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
  int port_ = 0;
  std::jthread thread_;  // last: joined before the loop goes
};

}  // namespace lockstep
