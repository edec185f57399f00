// arena_layout.h: where each parameter stands in a row that holds all of them.
//
// Parameters stand in the order in which backward finishes them, so any run of them, a bucket, is
// one contiguous part. Each starts on a cache line. Values, gradients and whatever an optimizer
// remembers are rows of one layout, in the host's memory or a device's.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lockstep {

using ParameterId = int;  // position in the network's list of parameters, in creation order

class ArenaLayout {
 public:
  // `stored_floats[id]`: size of each parameter as the engine stores it; `order`: every id once.
  ArenaLayout(std::span<const int64_t> stored_floats, std::span<const ParameterId> order);

  int count() const { return static_cast<int>(offsets_.size()); }
  std::span<const ParameterId> order() const { return order_; }
  int64_t offset(ParameterId id) const { return offsets_[id]; }  // in floats
  int64_t size(ParameterId id) const { return sizes_[id]; }      // in floats
  int64_t floats() const { return floats_; }                     // of a row of all

 private:
  std::vector<int64_t> offsets_, sizes_;  // by id
  std::vector<ParameterId> order_;
  int64_t floats_ = 0;
};

}  // namespace lockstep
