// batch_input.h: the images and labels of a batch as tensors where the engine computes.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

#include "engine/engine.h"
#include "engine/torch/device_input.h"

namespace lockstep::libtorch {

struct BatchTensors {
  at::Tensor images, labels;
};

class BatchInput {
 public:
  BatchInput(const Shape& image, const EngineOptions& options, at::Device device);

  // Views of the batch, or copies on the device; only read. With EngineOptions::graph the same
  // memory in every step, else valid up to done().
  BatchTensors send(const Batch& batch);
  void done();  // what the calling thread's stream reads of them is queued

 private:
  struct OnDevice {
    DeviceInput images, labels;
    BatchTensors still = {};  // of a graph
  };

  at::Tensor images_of(const Batch& batch);
  at::Tensor labels_of(const Batch& batch);
  void keep_still(BatchTensors& sent, bool same_images);

  Shape image_;
  EngineOptions options_;
  at::Device device_;
  std::optional<OnDevice> on_device_;
};

}  // namespace lockstep::libtorch
