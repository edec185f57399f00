#include "engine/torch/device_input.h"

#include <ATen/Functions.h>
#include <c10/core/StreamGuard.h>

#include "engine/torch/device.h"

namespace lockstep::libtorch {

DeviceInput::DeviceInput(at::Device device, at::ScalarType type)
    : device_(device), type_(type), copies_(new_stream(device)) {
  for (int i = 0; i < 2; ++i) {
    slots_.push_back({{}, {}, c10::Event(device.type()), c10::Event(device.type())});
  }
}

at::Tensor DeviceInput::send(const at::Tensor& tensor, bool unchanged) {
  if (unchanged && slots_[now_].device.defined()) return slots_[now_].device;
  now_ = 1 - now_;
  Slot& slot = slots_[now_];
  if (!slot.device.defined()) allocate(slot, tensor);
  wait_for(slot.copied);  // of two steps ago: the host may write to the pinned memory again
  slot.pinned.copy_(tensor);
  slot.read.block(copies_);
  {
    const c10::StreamGuard on_copies(copies_);
    slot.device.copy_(slot.pinned, /*non_blocking=*/true);
  }
  slot.copied.record(copies_);
  slot.copied.block(current_stream(device_));
  return slot.device;
}

void DeviceInput::done() { slots_[now_].read.record(current_stream(device_)); }

// Once, on the stream that reads it: the copies wait for what that memory was used for before.
void DeviceInput::allocate(Slot& slot, const at::Tensor& like) {
  const at::TensorOptions options = like.options().dtype(type_);
  slot.pinned = at::empty_like(like, options.pinned_memory(true));
  slot.device = at::empty_like(like, options.device(device_));
  slot.read.record(current_stream(device_));
}

}  // namespace lockstep::libtorch
