#include "sim/model/server_placement.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

#include "sync/variable_placement.h"

namespace lockstep {
namespace {

std::vector<PlacedSlice> place(const Workload& workload, int servers, bool sharded) {
  const auto nothing_to_tell = [](ParameterId) {};
  const Replicated replicated{
      .arena = *workload.arena,
      .optimizer = {},
      .parameters = std::vector<OptimizedParameter>(static_cast<size_t>(workload.arena->count())),
      .values_changed = nothing_to_tell};
  SyncOptions options;
  options.sharded = sharded;
  std::vector<PlacedSlice> placed;
  for (const Slice& slice : place_slices(replicated, servers, options)) {
    placed.push_back({.server = slice.server,
                      .bytes = static_cast<double>(slice.bytes()),
                      .gradient = workload.creation[slice.last]});
  }
  return placed;
}

}  // namespace

std::span<const PlacedSlice> placed_slices(const Workload& workload, int servers, bool sharded) {
  using Key = std::tuple<std::string, std::string, int, bool>;
  static std::mutex mutex;
  static std::map<Key, std::vector<PlacedSlice>> known;
  const std::scoped_lock lock(mutex);
  const auto [at, fresh] =
      known.try_emplace(Key(workload.model, workload.network, servers, sharded));
  if (fresh) at->second = place(workload, servers, sharded);
  return at->second;
}

double hottest_share(std::span<const PlacedSlice> slices, int servers) {
  std::vector<double> bytes(servers);
  double total = 0;
  for (const PlacedSlice& slice : slices) {
    bytes[slice.server] += slice.bytes;
    total += slice.bytes;
  }
  return std::ranges::max(bytes) / total;
}

}  // namespace lockstep
