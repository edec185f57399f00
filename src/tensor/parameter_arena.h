// parameter_arena.h: the host memory of a replica's values and gradients.
//
// The engine computes straight into it and the strategy communicates straight out of it: no copy
// between the two. An engine whose parameters live on a device (nn/device_parameters.h) only takes
// values from it that are written from outside.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "tensor/arena_layout.h"
#include "tensor/memory.h"

namespace lockstep {

using AllocateMemory = std::function<Memory(int64_t bytes)>;
inline Memory plain_memory(int64_t bytes) { return Memory(bytes); }

class ParameterArena : public ArenaLayout {
 public:
  // `gradients`: where they come to live, so that a communicator can reduce them in place.
  ParameterArena(std::span<const int64_t> stored_floats, std::span<const ParameterId> order,
                 const AllocateMemory& gradients = plain_memory)
      : ArenaLayout(stored_floats, order), values_(bytes()), gradients_(gradients(bytes())) {}

  std::span<float> values(ParameterId id) const { return part(values_, id); }
  std::span<float> gradient(ParameterId id) const { return part(gradients_, id); }
  std::span<float> all_values() const { return values_.floats(); }
  std::span<float> all_gradients() const { return gradients_.floats(); }

 private:
  int64_t bytes() const { return floats() * static_cast<int64_t>(sizeof(float)); }
  std::span<float> part(const Memory& memory, ParameterId id) const {
    return memory.floats().subspan(offset(id), size(id));
  }

  Memory values_, gradients_;
};

}  // namespace lockstep
