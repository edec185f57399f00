#include "tensor/parameter_arena.h"

#include <cassert>

namespace lockstep {
namespace {

constexpr int64_t kFloatsPerCacheLine = 16;

}  // namespace

ParameterArena::ParameterArena(std::span<const int64_t> stored_floats,
                               std::span<const ParameterId> order, const AllocateMemory& gradients)
    : offsets_(stored_floats.size()),
      sizes_(stored_floats.begin(), stored_floats.end()),
      order_(order.begin(), order.end()) {
  assert(order.size() == stored_floats.size());
  int64_t end = 0;
  for (const ParameterId id : order) {
    offsets_[id] = end;
    const int64_t lines = (sizes_[id] + kFloatsPerCacheLine - 1) / kFloatsPerCacheLine;
    end += lines * kFloatsPerCacheLine;
  }
  values_ = Memory(end * static_cast<int64_t>(sizeof(float)));
  gradients_ = gradients(end * static_cast<int64_t>(sizeof(float)));
}

}  // namespace lockstep
