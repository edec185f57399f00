// device_input.h: brings the tensors of batches to the device while it computes.
//
// A tensor is copied through pinned memory on a stream of its own. There are two buffers, so the
// tensor of one step is on its way while the step before still reads its own.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Event.h>
#include <c10/core/Stream.h>

#include <vector>

namespace lockstep::libtorch {

class DeviceInput {
 public:
  // What is sent gets this type on the way.
  DeviceInput(at::Device device, at::ScalarType type);

  // `tensor`: on the host; the same sizes in every call. What is queued next on the calling
  // thread's stream may read the result, up to done(). `unchanged`: the tensor is that of the call
  // before.
  at::Tensor send(const at::Tensor& tensor, bool unchanged);
  void done();

 private:
  struct Slot {
    at::Tensor pinned, device;
    c10::Event copied, read;
  };
  void allocate(Slot& slot, const at::Tensor& like);

  at::Device device_;
  at::ScalarType type_;
  c10::Stream copies_;
  std::vector<Slot> slots_;
  size_t now_ = 0;
};

}  // namespace lockstep::libtorch
