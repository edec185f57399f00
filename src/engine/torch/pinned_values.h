// pinned_values.h: copies values from the arena to a device, through pinned memory.
//
// Each is copied into pinned host memory, and from there on a stream of its own, while the device
// works on: neither the host nor the device stops. The next forward waits for all of them.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Event.h>
#include <c10/core/Stream.h>

#include <vector>

namespace lockstep::libtorch {

class PinnedValues {
 public:
  PinnedValues(int parameters, at::Device device);
  ~PinnedValues();  // before the memory of the device's tensors is used for anything else
  PinnedValues(const PinnedValues&) = delete;

  // Returns when `value` may change again. The device has read the value before: in the forwards
  // so far, and in backward, because the gradient has arrived.
  void send(int parameter, const at::Tensor& value, const at::Tensor& on_device);
  void begin_reading();  // the device waits for what was sent
  void end_reading();

 private:
  struct Slot {
    at::Tensor host;  // pinned
    c10::Event copied;
  };

  at::Device device_;
  c10::Stream copies_;
  std::vector<Slot> slots_;
  c10::Event sent_, read_;
};

}  // namespace lockstep::libtorch
