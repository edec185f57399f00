// parameter_arena.h: the memory of a replica's values and gradients.
//
// The engine computes straight into it and the strategy communicates straight out of it: no copy
// between the two. Parameters stand in the order in which backward finishes them, so any run of
// them, a bucket, is one contiguous span. Each starts on a cache line.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tensor/memory.h"

namespace lockstep {

using ParameterId = int;  // position in the network's list of parameters, in creation order

using AllocateMemory = std::function<Memory(int64_t bytes)>;
inline Memory plain_memory(int64_t bytes) { return Memory(bytes); }

class ParameterArena {
 public:
  // `stored_floats[id]`: size of each parameter as the engine stores it; `order`: every id once.
  // `gradients`: where they come to live, so that a communicator can reduce them in place.
  ParameterArena(std::span<const int64_t> stored_floats, std::span<const ParameterId> order,
                 const AllocateMemory& gradients = plain_memory);

  std::span<float> values(ParameterId id) const { return part(values_, id); }
  std::span<float> gradient(ParameterId id) const { return part(gradients_, id); }
  int count() const { return static_cast<int>(offsets_.size()); }
  std::span<const ParameterId> order() const { return order_; }
  std::span<float> all_values() const { return values_.floats(); }
  std::span<float> all_gradients() const { return gradients_.floats(); }
  int64_t offset(ParameterId id) const { return offsets_[id]; }  // in floats

 private:
  std::span<float> part(const Memory& memory, ParameterId id) const {
    return memory.floats().subspan(offsets_[id], sizes_[id]);
  }

  std::vector<int64_t> offsets_, sizes_;  // in floats, by id
  std::vector<ParameterId> order_;
  Memory values_, gradients_;
};

}  // namespace lockstep
