// server.h: a parameter server: keeps its slices of the values and updates them.
//
// It waits for whichever worker speaks next. Synchronous: a slice is updated once all workers have
// pushed it, and a worker that asks for it waits until then. Asynchronous: each gradient is an
// update of its own, and a pull returns the current values.
#pragma once

#include <cstdint>
#include <functional>

#include "comm/communicator.h"

namespace lockstep {

// Told how many updates of the server's values there were, since the training began.
using ServerProgress = std::function<void(int64_t updates)>;

// Called when all workers have said that they are done, and still wait for this server.
using ServerEnd = std::function<void()>;

// Serves from start to end of a training; returns when all workers are done. `everyone`: the
// workers, then the servers. Worker 0 says all else. Throws Error that names the rank which failed.
void run_server(Communicator& everyone, const ServerProgress& progress = {},
                const ServerEnd& end = {});

// By every worker, instead of a strategy's start(): there is nothing to do. Collective.
void dismiss_servers(Communicator& everyone);

}  // namespace lockstep
