#include "engine/torch/batch_input.h"

#include <ATen/Functions.h>

#include "engine/torch/parameter_tensors.h"
#include "engine/torch/torch_dtype.h"

namespace lockstep::libtorch {

BatchInput::BatchInput(const Shape& image, const EngineOptions& options, at::Device device)
    : image_(image), options_(options), device_(device) {
  if (device.is_cpu()) return;
  on_device_.emplace(
      OnDevice{DeviceInput(device, type_of(options.dtype)), DeviceInput(device, at::kInt)});
}

BatchTensors BatchInput::send(const Batch& batch) {
  BatchTensors sent = {images_of(batch), labels_of(batch)};
  if (on_device_ && options_.graph) keep_still(sent, batch.same_images);
  return sent;
}

void BatchInput::done() {
  if (!on_device_ || options_.graph) return;
  on_device_->images.done();
  on_device_->labels.done();
}

void BatchInput::keep_still(BatchTensors& sent, bool same_images) {
  const auto keep = [](at::Tensor& still, const at::Tensor& now, bool same) {
    if (!still.defined()) {
      still = now.clone();
    } else if (!same) {
      still.copy_(now);
    }
  };
  keep(on_device_->still.images, sent.images, same_images);
  keep(on_device_->still.labels, sent.labels, false);
  on_device_->images.done();
  on_device_->labels.done();
  sent = on_device_->still;
}

at::Tensor BatchInput::images_of(const Batch& batch) {
  const int64_t channels = image_.channels(), height = image_.height(), width = image_.width();
  const std::vector<int64_t> sizes = {options_.batch, channels, height, width};
  const bool by_pixel = options_.layout == ImageLayout::Nhwc;
  const std::vector<int64_t> strides =
      by_pixel ? std::vector<int64_t>{image_.elements(), 1, width * channels, channels}
               : std::vector<int64_t>{image_.elements(), height * width, width, 1};
  const at::Tensor images = at::from_blob(const_cast<float*>(batch.images.data()), sizes, strides);
  if (!on_device_) return images.to(type_of(options_.dtype));
  const at::Tensor sent = on_device_->images.send(images, batch.same_images);
  return computes_by_pixel(options_, device_) ? sent.contiguous(at::MemoryFormat::ChannelsLast)
                                              : sent;
}

at::Tensor BatchInput::labels_of(const Batch& batch) {
  int32_t* numbers = const_cast<int32_t*>(batch.labels.data());
  const at::Tensor labels = at::from_blob(numbers, {options_.batch}, at::kInt);
  return (on_device_ ? on_device_->labels.send(labels, false) : labels).to(at::kLong);
}

}  // namespace lockstep::libtorch
