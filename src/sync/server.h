// server.h: a parameter server: keeps its slices of the values and updates them.
//
// It waits for whichever worker speaks next. Synchronous: a slice is updated once all workers have
// pushed it, and a worker that asks for it waits until then. Asynchronous: each gradient is an
// update of its own, and a pull returns the current values.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/time.h"
#include "comm/communicator.h"

namespace lockstep {

// Told how many updates of the server's values there were, since the training began.
using ServerProgress = std::function<void(int64_t updates)>;

// Called when all workers have said that they are done, and still wait for this server.
using ServerEnd = std::function<void()>;

// What a server needs to know besides the communicator.
struct ServerSurroundings {
  ServerProgress progress = {};
  ServerEnd end = {};
  // A worker that trains and says nothing for so long, while others wait for its end, is lost.
  Seconds stall_timeout{60};
  // Ranks that are known to be dead: named without waiting. Empty: unknown.
  std::function<std::vector<int>()> gone = {};
  std::function<std::string(int rank)> who = {};  // "rank 3 (node2)"; empty: "rank 3"
};

// Serves from start to end of a training; returns when all workers are done. `everyone`: the
// workers, then the servers. Worker 0 says all else. Throws Error that names the rank which failed.
void run_server(Communicator& everyone, const ServerSurroundings& surroundings = {});

// By every worker, instead of a strategy's start(): there is nothing to do. Collective.
void dismiss_servers(Communicator& everyone);

}  // namespace lockstep
