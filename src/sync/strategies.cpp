#include "sync/strategies.h"

#include <fmt/ranges.h>

#include <utility>
#include <vector>

#include "base/error.h"
#include "sync/all_reduce.h"
#include "sync/distributed_replicated.h"
#include "sync/independent.h"
#include "sync/parameter_server.h"

namespace lockstep {
namespace {

std::unique_ptr<Strategy> independent(Replicated replicated, const Peers&, const SyncOptions&) {
  return std::make_unique<Independent>(std::move(replicated));
}

std::unique_ptr<Strategy> all_reduce(Replicated replicated, const Peers& peers,
                                     const SyncOptions& options) {
  return std::make_unique<AllReduce>(std::move(replicated), *peers.workers, options);
}

template <typename ServerStrategy>
std::unique_ptr<Strategy> with_servers(Replicated replicated, const Peers& peers,
                                       const SyncOptions& options) {
  return std::make_unique<ServerStrategy>(std::move(replicated), peers, options);
}

// Several names for one thing: they differ only in how tf_cnn_benchmarks builds its graph.
constexpr const char* kAllReduceHelp = "replicas add up their gradients and keep all values";

constexpr StrategyKind kStrategies[] = {
    {"independent", "replicas never hear of each other", false, false, independent},
    {"replicated", kAllReduceHelp, true, false, all_reduce},
    {"collective_all_reduce", kAllReduceHelp, true, false, all_reduce},
    {"distributed_all_reduce", kAllReduceHelp, true, false, all_reduce},
    {"horovod", kAllReduceHelp, true, false, all_reduce},
    {"parameter_server", "servers keep the values, fetched before every step", true, true,
     with_servers<ParameterServer>},
    {"distributed_replicated", "servers keep the values, copies are refreshed during backward",
     true, true, with_servers<DistributedReplicated>},
};

}  // namespace

std::span<const StrategyKind> strategies() { return kStrategies; }

const StrategyKind& find_strategy(std::string_view name) {
  std::vector<std::string_view> names;
  for (const StrategyKind& kind : kStrategies) {
    if (kind.name == name) return kind;
    names.push_back(kind.name);
  }
  throw UsageError("--variable-update must be one of {}, not '{}'", fmt::join(names, ", "), name);
}

}  // namespace lockstep
