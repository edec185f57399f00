// loss_scaler.h: a loss scale that adapts, kept on the device.
//
// Nothing here reads the device: whether a gradient has overflowed is a number there, and so is the
// next scale. All replicas look at the same sums of gradients, so they decide alike.
#pragma once

#include <ATen/core/Tensor.h>

#include "engine/dtype.h"
#include "nn/device_parameters.h"

namespace lockstep::libtorch {

class LossScaler {
 public:
  LossScaler(const LossScale& options, at::Device device);

  const at::Tensor& scale() const { return scale_; }  // factor of the loss; one number
  // Divides by the scale, in place. Together the calls of a step see all gradients.
  void unscale(const at::Tensor& gradients);
  at::Tensor sound() const;  // true: no gradient of this step has overflowed
  void end_step();

  LossScaleState read() const;  // waits for the device
  void write(const LossScaleState& state);

 private:
  int64_t steps_to_double_;
  at::Tensor scale_, inverse_, overflowed_, skipped_;
  at::Tensor sound_steps_;  // since the scale has changed
};

}  // namespace lockstep::libtorch
