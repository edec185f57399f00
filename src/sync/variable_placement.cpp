#include "sync/variable_placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sync/buckets.h"

namespace lockstep {
namespace {

constexpr int64_t kFloatsPerCacheLine = 16;

std::string name_of(const Replicated& replicated, ParameterId id) {
  return replicated.names.empty() ? fmt::format("parameter {}", id) : replicated.names[id];
}

std::string name_of(const Replicated& replicated, const Bucket& bucket) {
  const std::string first = name_of(replicated, bucket.parameters.front());
  if (bucket.parameters.size() == 1) return first;
  return fmt::format("{} to {}", first, name_of(replicated, bucket.last));
}

Slice whole_slice(const Replicated& replicated, const Bucket& bucket) {
  Slice slice{.name = name_of(replicated, bucket),
              .first_float = bucket.first_float,
              .floats = bucket.floats,
              .parts = {},
              .last = bucket.last,
              .completes = bucket.parameters};
  for (const ParameterId id : bucket.parameters) {
    slice.parts.push_back({.first_float = replicated.arena.offset(id) - bucket.first_float,
                           .floats = std::ssize(replicated.arena.values(id)),
                           .decays = replicated.parameters[id].decays});
  }
  return slice;
}

// Shard i is for server i. Each but the last ends on a cache line.
std::vector<Slice> shards_of(const Slice& whole, int servers) {
  const int64_t lines = (whole.floats + kFloatsPerCacheLine - 1) / kFloatsPerCacheLine;
  std::vector<Slice> shards;
  for (int server = 0; server < servers; ++server) {
    const int64_t begin = lines * server / servers * kFloatsPerCacheLine;
    const int64_t end =
        std::min(whole.floats, lines * (server + 1) / servers * kFloatsPerCacheLine);
    if (begin == end) continue;
    shards.push_back({.name = fmt::format("{} {}/{}", whole.name, server + 1, servers),
                      .server = server,
                      .first_float = whole.first_float + begin,
                      .floats = end - begin,
                      .parts = {{0, end - begin, whole.parts[0].decays}},
                      .last = whole.last});
  }
  shards.back().completes = whole.completes;
  return shards;
}

// Which servers have how much, as slices are given to them.
class Loads {
 public:
  explicit Loads(int servers) : bytes_(servers) {}

  void give(Slice& slice) {
    slice.server = static_cast<int>(std::ranges::min_element(bytes_) - bytes_.begin());
    add(slice);
  }
  void add(const Slice& slice) { bytes_[slice.server] += slice.bytes(); }

 private:
  std::vector<int64_t> bytes_;
};

}  // namespace

std::vector<Slice> place_slices(const Replicated& replicated, int servers,
                                const SyncOptions& options) {
  std::vector<std::vector<Slice>> by_bucket;
  for (const Bucket& bucket :
       make_groups(replicated.arena, options.small_bytes, options.small_group)) {
    by_bucket.push_back({whole_slice(replicated, bucket)});
  }
  std::vector<int> created(by_bucket.size());
  std::iota(created.begin(), created.end(), 0);
  std::ranges::sort(created, {},
                    [&](int i) { return std::ranges::min(by_bucket[i][0].completes); });

  Loads loads(servers);
  for (const int i : created) {
    std::vector<Slice>& slices = by_bucket[i];
    const Slice& whole = slices.front();
    const bool large = whole.bytes() >= options.sharded_bytes && whole.parts.size() == 1;
    if (options.sharded && large) {
      slices = shards_of(whole, servers);
      for (const Slice& shard : slices) loads.add(shard);
    } else {
      loads.give(slices.front());
    }
  }
  std::vector<Slice> all;
  for (std::vector<Slice>& slices : by_bucket) std::ranges::move(slices, std::back_inserter(all));
  return all;
}

}  // namespace lockstep
