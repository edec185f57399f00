#include "sync/buckets.h"

#include <algorithm>

namespace lockstep {
namespace {

constexpr int64_t kFloatBytes = sizeof(float);

int64_t bytes_of(const ArenaLayout& arena, ParameterId id) { return arena.size(id) * kFloatBytes; }

int64_t end_of(const ArenaLayout& arena, ParameterId id) {
  return arena.offset(id) + arena.size(id);
}

// `joins(bucket, id)`: whether a parameter goes to the bucket of those before it.
template <typename Joins>
std::vector<Bucket> runs_of(const ArenaLayout& arena, const Joins& joins) {
  std::vector<Bucket> buckets;
  for (const ParameterId id : arena.order()) {
    if (buckets.empty() || !joins(buckets.back(), id)) {
      buckets.push_back(
          {.parameters = {}, .first_float = arena.offset(id), .floats = 0, .last = id});
    }
    Bucket& bucket = buckets.back();
    bucket.parameters.push_back(id);
    bucket.floats = end_of(arena, id) - bucket.first_float;
    bucket.last = id;
  }
  return buckets;
}

}  // namespace

std::vector<Bucket> make_buckets(const ArenaLayout& arena, int64_t target_bytes) {
  return runs_of(arena, [&](const Bucket& bucket, ParameterId) {
    return bucket.floats * kFloatBytes < target_bytes;
  });
}

std::vector<Bucket> make_groups(const ArenaLayout& arena, int64_t small_bytes, int most) {
  return runs_of(arena, [&](const Bucket& bucket, ParameterId id) {
    return std::max(bytes_of(arena, id), bytes_of(arena, bucket.last)) <= small_bytes &&
           std::ssize(bucket.parameters) < most;
  });
}

std::vector<Bucket> make_packs(const ArenaLayout& arena, int count) {
  const int64_t total = arena.floats();
  std::vector<Bucket> packs;
  for (int i = 0; i < count; ++i) {
    const int64_t begin = i * (total / count);
    const int64_t end = i + 1 < count ? begin + total / count : total;
    packs.push_back({.parameters = {},
                     .first_float = begin,
                     .floats = end - begin,
                     .last = arena.order().front()});
    for (const ParameterId id : arena.order()) {
      if (arena.offset(id) < end) packs.back().last = id;
      if (end_of(arena, id) > begin && end_of(arena, id) <= end) {
        packs.back().parameters.push_back(id);
      }
    }
  }
  return packs;
}

std::vector<Bucket> make_buckets(const ArenaLayout& arena, const SyncOptions& options) {
  if (options.repacking > 0) return make_packs(arena, options.repacking);
  if (options.small_bytes > 0) return make_groups(arena, options.small_bytes, options.small_group);
  return make_buckets(arena, options.bucket_bytes);
}

std::string layers_of(std::span<const ParameterId> parameters, std::span<const std::string> names) {
  if (parameters.empty() || names.empty()) return "";
  const auto layer = [&](ParameterId id) { return names[id].substr(0, names[id].rfind('/')); };
  const auto [first, last] = std::ranges::minmax(parameters);
  const std::string from = layer(first), to = layer(last);
  return from == to ? from : from + " to " + to;
}

}  // namespace lockstep
