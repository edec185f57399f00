// pinned_gradients.h: copies gradients from a device to the arena, through pinned memory.
//
// Each is copied into pinned host memory as soon as backward has it, without stopping the device;
// the copy into the arena follows when that one is done.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Event.h>

#include <vector>

namespace lockstep::libtorch {

class PinnedGradients {
 public:
  // `unscale`: what is received is multiplied by it.
  PinnedGradients(int parameters, at::Device device, double unscale);

  void send(int parameter, const at::Tensor& gradient);        // returns at once
  void receive(int parameter, const at::Tensor& destination);  // waits for what was sent

 private:
  struct Slot {
    at::Tensor host;  // pinned
    c10::Event copied;
  };

  at::Device device_;
  double unscale_;
  std::vector<Slot> slots_;
};

}  // namespace lockstep::libtorch
