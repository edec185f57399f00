#include "sync/strategies.h"

#include <fmt/ranges.h>

#include <utility>
#include <vector>

#include "base/error.h"
#include "sync/all_reduce.h"
#include "sync/device_replicated.h"
#include "sync/distributed_replicated.h"
#include "sync/independent.h"
#include "sync/parameter_server.h"

namespace lockstep {
namespace {

std::unique_ptr<Strategy> independent(Replicated replicated, const Peers&,
                                      const SyncOptions& options) {
  if (replicated.device) return std::make_unique<DeviceReplicated>(replicated, nullptr, options);
  return std::make_unique<Independent>(std::move(replicated));
}

std::unique_ptr<Strategy> all_reduce(Replicated replicated, const Peers& peers,
                                     const SyncOptions& options) {
  if (replicated.device) {
    return std::make_unique<DeviceReplicated>(replicated, peers.devices, options);
  }
  const bool alone = peers.workers->size() == 1 && !options.relaxed;
  if (alone) return std::make_unique<Independent>(std::move(replicated));
  return std::make_unique<AllReduce>(std::move(replicated), *peers.workers, options);
}

template <typename ServerStrategy>
std::unique_ptr<Strategy> with_servers(Replicated replicated, const Peers& peers,
                                       const SyncOptions& options) {
  return std::make_unique<ServerStrategy>(std::move(replicated), peers, options);
}

// Several names for one thing: they differ only in how tf_cnn_benchmarks builds its graph.
constexpr const char* kAllReduceHelp = "replicas all-reduce gradients and keep all values";

constexpr StrategyKind kStrategies[] = {
    {"independent", "replicas do not communicate", false, false, false, independent},
    {"replicated", kAllReduceHelp, true, false, false, all_reduce},
    {"collective_all_reduce", kAllReduceHelp, true, false, false, all_reduce},
    {"distributed_all_reduce", kAllReduceHelp, true, false, false, all_reduce},
    {"horovod", kAllReduceHelp, true, false, false, all_reduce},
    {"parameter_server", "servers hold the values; workers fetch them before every step", true,
     true, true, with_servers<ParameterServer>},
    {"distributed_replicated", "servers hold the values; workers refresh copies during backward",
     true, true, false, with_servers<DistributedReplicated>},
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

std::vector<std::string> problems_in(const StrategyKind& kind, const SyncOptions& options) {
  std::vector<std::string> problems;
  const bool reduces = kind.communicates && !kind.needs_servers;
  const auto only = [&](bool given, bool fits, std::string_view flag, std::string_view with) {
    if (!given || fits) return;
    problems.push_back(
        fmt::format("{} requires {}, not --variable-update {}", flag, with, kind.name));
  };
  constexpr std::string_view kReduces =
      "a strategy that all-reduces gradients (replicated, horovod, ...)";
  constexpr std::string_view kServers = "parameter_server or distributed_replicated";
  constexpr std::string_view kFetches = "parameter_server";
  only(options.repacking != 0, reduces, "--gradient-repacking", kReduces);
  only(options.relaxed, reduces, "--variable-consistency relaxed", kReduces);
  only(options.small_bytes != 0, kind.communicates, "--agg-small-grads-max-bytes",
       "a strategy that communicates");
  only(options.sharded, kind.needs_servers, "--ps-placement sharded", kServers);
  only(options.staged, kind.fetches, "--staged-vars", kFetches);
  only(!options.synchronous, kind.fetches, "--no-cross-replica-sync", kFetches);

  const auto need = [&](bool fine, std::string_view flag, std::string_view what, int64_t given) {
    if (!fine) problems.push_back(fmt::format("{} must be {}, not {}", flag, what, given));
  };
  need(options.bucket_bytes > 0, "--bucket-mb", "above 0 bytes", options.bucket_bytes);
  need(options.repacking >= 0, "--gradient-repacking", "at least 0", options.repacking);
  need(options.small_bytes >= 0, "--agg-small-grads-max-bytes", "at least 0", options.small_bytes);
  need(options.small_group > 0, "--agg-small-grads-max-group", "above 0", options.small_group);
  if (options.repacking > 0 && options.small_bytes > 0) {
    problems.push_back(
        "--gradient-repacking and --agg-small-grads-max-bytes both group gradients; give one of "
        "them");
  }
  return problems;
}

}  // namespace lockstep
