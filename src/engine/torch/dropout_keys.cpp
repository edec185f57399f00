#include "engine/torch/dropout_keys.h"

#include <ATen/Functions.h>

#include "nn/dropout_mask.h"

namespace lockstep::libtorch {

at::Tensor DropoutKeys::add(NodeId layer) {
  keys_.push_back({layer, at::zeros({}, at::TensorOptions(device_).dtype(at::kLong))});
  return keys_.back().number;
}

void DropoutKeys::set(int64_t step) {
  for (const auto& [layer, number] : keys_) {
    const RandomStream random(seed_, dropout_stream(layer, step));
    number.fill_(static_cast<int64_t>(random.key()));
  }
}

}  // namespace lockstep::libtorch
