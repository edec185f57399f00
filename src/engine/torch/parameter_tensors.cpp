#include "engine/torch/parameter_tensors.h"

#include <ATen/Functions.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cassert>

#include "base/fnv1a.h"
#include "engine/torch/device_rows.h"
#include "engine/torch/torch_dtype.h"

namespace lockstep::libtorch {

bool computes_by_pixel(const EngineOptions& options, at::Device device) {
  return options.layout == ImageLayout::Nhwc || (has_16_bits(options.dtype) && !device.is_cpu());
}

ParameterTensors::ParameterTensors(const Graph& graph, const EngineOptions& options,
                                   at::Device device)
    : specs_(parameters_of(graph)), options_(options), device_(device) {
  for (const ParameterSpec& spec : specs_) {
    infos_.push_back({.name = spec.name,
                      .shape = spec.shape,
                      .stored_floats = spec.shape.elements(),
                      .decays = spec.decays});
  }
}

ParameterId ParameterTensors::id_of(NodeId node, ParameterRole role) const {
  const auto found = std::find_if(specs_.begin(), specs_.end(), [&](const ParameterSpec& spec) {
    return spec.node == node && spec.role == role;
  });
  assert(found != specs_.end());
  return static_cast<ParameterId>(found - specs_.begin());
}

bool ParameterTensors::by_pixel(ParameterId id) const {
  return computes_by_pixel(options_, device_) && specs_[id].shape.rank() == 4;
}

// Those of batch normalisation are f32 in any case.
at::ScalarType ParameterTensors::type_of(ParameterId id) const {
  const ParameterRole role = specs_[id].role;
  const bool multiplied = role == ParameterRole::Kernel || role == ParameterRole::Bias;
  return multiplied ? libtorch::type_of(options_.dtype) : at::kFloat;
}

bool ParameterTensors::is_view_of_arena(ParameterId id) const {
  return device_.is_cpu() && type_of(id) == at::kFloat;
}

// Of the sizes and strides of all parameters.
uint64_t ParameterTensors::fingerprint() const {
  Fnv1a hash;
  for (ParameterId id = 0; id < count(); ++id) {
    for (const int64_t size : specs_[id].shape.dims()) hash.add(static_cast<uint64_t>(size));
    hash.add(uint64_t{by_pixel(id)});
  }
  return hash.value();
}

void ParameterTensors::bind(ParameterArena& arena, const DeviceRows* rows) {
  arena_ = &arena;
  rows_ = rows;
  pinned_.reset();
  tensors_.clear();
  for (ParameterId id = 0; id < count(); ++id) {
    at::Tensor tensor = stored_view(id, arena.values(id).data());
    if (rows) {
      tensor = rows->value_of(id, tensor.to(type_of(id)));
    } else if (!is_view_of_arena(id)) {
      tensor = tensor.to(device_, type_of(id), false, true);
    }
    tensors_.push_back(tensor.set_requires_grad(options_.mode == Mode::Training));
  }
  if (!rows && !device_.is_cpu()) pinned_.emplace(count(), device_);
}

at::Tensor ParameterTensors::gradient(ParameterId id) const {
  const at::Tensor in_arena = stored_view(id, arena_->gradient(id).data());
  return rows_ ? rows_->gradient_of(id, in_arena) : in_arena;
}

void ParameterTensors::refresh(ParameterId id) {
  const at::Tensor value = stored_view(id, arena_->values(id).data());
  if (rows_) {
    rows_->write_value(id, value);
  } else if (pinned_) {
    pinned_->send(id, value, tensors_[id].detach());
  } else if (!is_view_of_arena(id)) {
    tensors_[id].detach().copy_(value);
  }
}

void ParameterTensors::begin_reading() {
  if (pinned_) pinned_->begin_reading();
}

void ParameterTensors::end_reading() {
  if (pinned_) pinned_->end_reading();
}

void ParameterTensors::read_plain(ParameterId id, std::span<const float> stored,
                                  std::span<float> plain) const {
  plain_view(id, plain.data()).copy_(stored_view(id, stored.data()));
}

void ParameterTensors::write_plain(ParameterId id, std::span<const float> plain,
                                   std::span<float> stored) const {
  stored_view(id, stored.data()).copy_(plain_view(id, plain.data()));
}

// A tensor cannot say that its memory is const; whoever asks for one of const memory only reads.
at::Tensor ParameterTensors::stored_view(ParameterId id, const float* memory) const {
  if (!by_pixel(id)) return plain_view(id, memory);
  const Shape& shape = specs_[id].shape;
  const int64_t channels = shape[1], height = shape[2], width = shape[3];
  return at::from_blob(const_cast<float*>(memory), shape.dims(),
                       {height * width * channels, 1, width * channels, channels});
}

at::Tensor ParameterTensors::plain_view(ParameterId id, const float* memory) const {
  return at::from_blob(const_cast<float*>(memory), specs_[id].shape.dims());
}

}  // namespace lockstep::libtorch
