// strategies.h: the table of update strategies, by the names of --variable-update.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "comm/communicator.h"
#include "comm/device_communicator.h"
#include "sync/strategy.h"
#include "sync/sync_options.h"

namespace lockstep {

// The communicators of a replica; borrowed, and used only by the strategy from start() to its end.
struct Peers {
  Communicator* workers = nullptr;        // the replicas alone
  Communicator* everyone = nullptr;       // the replicas, then the servers; null without servers
  DeviceCommunicator* devices = nullptr;  // the replicas, out of their devices' memory; or null
};

struct StrategyKind {
  std::string_view name;
  std::string_view help;
  bool communicates;   // false: replicas never hear of each other
  bool needs_servers;  // parameter servers hold the values
  bool fetches;        // all values from servers before every step: may be staged, asynchronous
  std::unique_ptr<Strategy> (*make)(Replicated replicated, const Peers& peers,
                                    const SyncOptions& options);
};

std::span<const StrategyKind> strategies();
const StrategyKind& find_strategy(std::string_view name);  // throws UsageError

// One line per option that the strategy cannot have, in the words of the command line; empty: fine.
std::vector<std::string> problems_in(const StrategyKind& kind, const SyncOptions& options);

}  // namespace lockstep
