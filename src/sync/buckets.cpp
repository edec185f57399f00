#include "sync/buckets.h"

namespace lockstep {

std::vector<Bucket> make_buckets(const ParameterArena& arena, int64_t target_bytes) {
  std::vector<Bucket> buckets;
  int64_t bytes = 0;
  for (const ParameterId id : arena.order()) {
    const int64_t begin = arena.offset(id);
    const int64_t end = begin + static_cast<int64_t>(arena.gradient(id).size());
    if (buckets.empty() || bytes >= target_bytes) {
      buckets.push_back({.parameters = {}, .first_float = begin, .floats = 0});
    }
    Bucket& bucket = buckets.back();
    bucket.parameters.push_back(id);
    bucket.floats = end - bucket.first_float;
    bytes = bucket.floats * static_cast<int64_t>(sizeof(float));
  }
  return buckets;
}

}  // namespace lockstep
