// parameter_tensors.h: the arena's parameters as tensors.
//
// On the CPU a tensor is a view of the arena: nothing is copied, an update shows at once. On
// another device it is a view of DeviceRows, or a copy of its own; so is one in another format than
// f32. refresh() takes over what is new in the arena; the device may copy it later, but before it
// reads it. Stored layout is plain, but for kernels of convolutions in a channels-last network:
// those are stored by pixel, as LibTorch then wants them.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <span>
#include <vector>

#include "engine/engine.h"
#include "engine/torch/pinned_values.h"
#include "nn/parameters.h"

namespace lockstep::libtorch {

class DeviceRows;

// Whether activations are stored channels last: as batches arrive, or because accelerators multiply
// 16 bits faster so.
bool computes_by_pixel(const EngineOptions& options, at::Device device);

class ParameterTensors {
 public:
  ParameterTensors(const Graph& graph, const EngineOptions& options, at::Device device);

  std::span<const ParameterInfo> infos() const { return infos_; }
  int count() const { return static_cast<int>(infos_.size()); }
  ParameterId id_of(NodeId node, ParameterRole role) const;  // it must exist
  uint64_t fingerprint() const;

  void bind(ParameterArena& arena, const DeviceRows* rows);  // borrows both; `rows` may be null
  const at::Tensor& operator[](ParameterId id) const { return tensors_[id]; }
  at::Tensor gradient(ParameterId id) const;  // a view: of the rows, or else of the arena
  void refresh(ParameterId id);
  // Around a forward, on the engine's stream.
  void begin_reading();
  void end_reading();

  void read_plain(ParameterId id, std::span<const float> stored, std::span<float> plain) const;
  void write_plain(ParameterId id, std::span<const float> plain, std::span<float> stored) const;

 private:
  bool by_pixel(ParameterId id) const;
  at::ScalarType type_of(ParameterId id) const;
  bool is_view_of_arena(ParameterId id) const;
  at::Tensor stored_view(ParameterId id, const float* memory) const;
  at::Tensor plain_view(ParameterId id, const float* memory) const;

  std::vector<ParameterSpec> specs_;
  std::vector<ParameterInfo> infos_;
  EngineOptions options_;
  at::Device device_;
  ParameterArena* arena_ = nullptr;     // borrowed
  const DeviceRows* rows_ = nullptr;    // borrowed
  std::vector<at::Tensor> tensors_;     // by id, on the device
  std::optional<PinnedValues> pinned_;  // from the arena to copies on another device
};

}  // namespace lockstep::libtorch
