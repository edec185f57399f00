#include "engine/torch/pinned_gradients.h"

#include <ATen/Functions.h>

#include "engine/torch/device.h"

namespace lockstep::libtorch {

PinnedGradients::PinnedGradients(int parameters, at::Device device, double unscale)
    : device_(device), unscale_(unscale) {
  for (int i = 0; i < parameters; ++i) slots_.push_back({{}, c10::Event(device.type())});
}

void PinnedGradients::send(int parameter, const at::Tensor& gradient) {
  Slot& slot = slots_[parameter];
  if (!slot.host.defined()) {
    slot.host = at::empty_like(gradient, gradient.options().device(at::kCPU).pinned_memory(true));
  }
  slot.host.copy_(gradient, /*non_blocking=*/true);
  slot.copied.record(current_stream(device_));
}

void PinnedGradients::receive(int parameter, const at::Tensor& destination) {
  const Slot& slot = slots_[parameter];
  slot.copied.synchronize();
  destination.copy_(slot.host);
  if (unscale_ != 1) destination.mul_(unscale_);
}

}  // namespace lockstep::libtorch
