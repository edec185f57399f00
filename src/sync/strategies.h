// strategies.h: the table of update strategies, by the names of --variable-update.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "comm/communicator.h"
#include "sync/options.h"
#include "sync/strategy.h"

namespace lockstep {

// Whom a replica talks to; borrowed, and nobody else uses them from start() to the strategy's end.
struct Peers {
  Communicator* workers = nullptr;   // the replicas alone
  Communicator* everyone = nullptr;  // the replicas, then the servers; null without servers
};

struct StrategyKind {
  std::string_view name;
  std::string_view help;
  bool communicates;   // false: replicas never hear of each other
  bool needs_servers;  // parameter servers hold the values
  std::unique_ptr<Strategy> (*make)(Replicated replicated, const Peers& peers,
                                    const SyncOptions& options);
};

std::span<const StrategyKind> strategies();
const StrategyKind& find_strategy(std::string_view name);  // throws UsageError

}  // namespace lockstep
