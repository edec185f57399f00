#include "tensor/arena_layout.h"

#include <cassert>

namespace lockstep {
namespace {

constexpr int64_t kFloatsPerCacheLine = 16;

}  // namespace

ArenaLayout::ArenaLayout(std::span<const int64_t> stored_floats, std::span<const ParameterId> order)
    : offsets_(stored_floats.size()),
      sizes_(stored_floats.begin(), stored_floats.end()),
      order_(order.begin(), order.end()) {
  assert(order.size() == stored_floats.size());
  for (const ParameterId id : order) {
    offsets_[id] = floats_;
    const int64_t lines = (sizes_[id] + kFloatsPerCacheLine - 1) / kFloatsPerCacheLine;
    floats_ += lines * kFloatsPerCacheLine;
  }
}

}  // namespace lockstep
