#include "engine/torch/pinned_values.h"

#include <ATen/Functions.h>
#include <c10/core/StreamGuard.h>

#include "engine/torch/device.h"

namespace lockstep::libtorch {

PinnedValues::PinnedValues(int parameters, at::Device device)
    : device_(device), copies_(new_stream(device)), sent_(device.type()), read_(device.type()) {
  for (int i = 0; i < parameters; ++i) slots_.push_back({{}, c10::Event(device.type())});
}

// After a fault of the device there is nothing to wait for.
PinnedValues::~PinnedValues() {
  try {
    begin_reading();
  } catch (const std::exception&) {  // whoever used the device was told
  }
}

void PinnedValues::send(int parameter, const at::Tensor& value, const at::Tensor& on_device) {
  Slot& slot = slots_[static_cast<size_t>(parameter)];
  if (!slot.host.defined()) {
    slot.host = at::empty_like(on_device, on_device.options().device(at::kCPU).pinned_memory(true));
  }
  wait_for(slot.copied);  // of the value before: the host may write to the pinned memory again
  slot.host.copy_(value);
  read_.block(copies_);
  {
    const c10::StreamGuard on_copies(copies_);
    on_device.copy_(slot.host, /*non_blocking=*/true);
  }
  slot.copied.record(copies_);
}

void PinnedValues::begin_reading() {
  sent_.record(copies_);
  sent_.block(current_stream(device_));
}

void PinnedValues::end_reading() { read_.record(current_stream(device_)); }

}  // namespace lockstep::libtorch
