// nccl_threads.h: ranks as threads that NCCL connects, on streams of the fake.
#pragma once

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "base/random_token.h"
#include "comm/nccl/nccl_communicator.h"
#include "comm/store.h"
#include "comm/store_server.h"

namespace lockstep {

// The message of each rank's exception, or nothing.
inline std::vector<std::string> run_with_stores(
    int ranks, Seconds stall, const std::function<void(const Roster&, Store&)>& function) {
  const std::string token = random_token();
  StoreServer server({.endpoint = {"127.0.0.1", 0}, .token = token});
  std::vector<std::string> errors(static_cast<size_t>(ranks));
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        Store store({.endpoint = {"127.0.0.1", server.port()},
                     .token = token,
                     .member = std::to_string(rank)});
        function(meet(store, rank, ranks, "host", stall), store);
      } catch (const std::exception& error) {
        errors[static_cast<size_t>(rank)] = error.what();
      }
    });
  }
  threads.clear();
  return errors;
}

inline std::vector<std::string> run_nccl_ranks(
    int ranks, const std::function<void(DeviceCommunicator&)>& function,
    Seconds stall = Seconds{60}) {
  return run_with_stores(ranks, stall, [&](const Roster& roster, Store& store) {
    function(*make_nccl(roster, {.stall_timeout = stall}, store));
  });
}

}  // namespace lockstep
