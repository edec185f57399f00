#include "engine/torch/pinned_gradients.h"

#include <ATen/Functions.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <thread>

namespace lockstep::libtorch {

void PinnedGradients::send(int parameter, const at::Tensor& gradient) {
  Slot& slot = slots_[parameter];
  if (!slot.host.defined()) {
    slot.host = at::empty_like(gradient, gradient.options().device(at::kCPU).pinned_memory(true));
  }
  slot.host.copy_(gradient, /*non_blocking=*/true);
  slot.copied.record(c10::impl::VirtualGuardImpl(device_.type()).getStream(device_));
}

void PinnedGradients::receive(int parameter, const at::Tensor& destination) {
  const Slot& slot = slots_[parameter];
  while (!slot.copied.query()) std::this_thread::yield();  // c10::Event has no call that waits
  destination.copy_(slot.host);
}

}  // namespace lockstep::libtorch
