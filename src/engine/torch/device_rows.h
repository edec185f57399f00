// device_rows.h: values, gradients and optimizer state as flat rows of an accelerator's memory.
//
// The engine's tensors are views of the rows. Updates are the formulas of nn/update_rules.h, on
// whole parts of a row at once. An engine that computes in 16 bits has a row of the values in that
// format, too, which every update writes.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Event.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/torch/device_report.h"
#include "engine/torch/loss_scaler.h"
#include "engine/torch/step_graph.h"
#include "nn/device_parameters.h"

namespace lockstep::libtorch {

class DeviceRows : public DeviceParameters {
 public:
  // Borrowed: the report learns when a step's communication and updates are done; the graph, if
  // any, holds the updates of a step.
  struct Beside {
    DeviceReport& report;
    StepGraph* graph = nullptr;
  };
  DeviceRows(const ArenaLayout& layout, const EngineOptions& options, at::Device device,
             const Beside& beside);
  ~DeviceRows() override;
  DeviceRows(const DeviceRows&) = delete;

  // Views of one parameter, in the shape and strides of `like`; the value in its type, which is
  // f32 or that of the engine.
  at::Tensor value_of(ParameterId id, const at::Tensor& like) const;
  at::Tensor gradient_of(ParameterId id, const at::Tensor& like) const;
  // Of the values that decay and that the engine reads in this step; one number.
  const at::Tensor& sum_of_squares() const { return squares_; }
  // On the calling thread's stream: as one parameter in the arena.
  void write_value(ParameterId id, const at::Tensor& value) const;
  const LossScaler* loss_scaler() const { return scaler_ ? &*scaler_ : nullptr; }
  const WhileWaiting& while_waiting() const { return while_waiting_; }

  const ArenaLayout& layout() const override { return layout_; }
  DeviceRow values() const override { return row_of(values_); }
  DeviceRow gradients() const override { return row_of(gradients_); }
  DeviceStream update_stream() const override { return {updates_.native_handle()}; }
  void set_optimizer(const OptimizerSettings& settings,
                     std::span<const OptimizedParameter> parameters) override;
  void begin_step(double learning_rate, double gradient_scale) override;
  void take_gradients() override;
  void communicated() override { beside_.report.communicated(updates_); }
  void update(int64_t first_float, int64_t floats) override;
  void give_values() override;
  void values_given() override;
  void wait() override;
  void read_row(std::string_view name, std::span<float> row) override;
  void write_row(std::string_view name, std::span<const float> row) override;
  int64_t optimizer_steps() const override { return steps_; }
  void set_optimizer_steps(int64_t steps) override { steps_ = steps; }
  std::optional<LossScaleState> loss_scale() override;
  void set_loss_scale(const LossScaleState& state) override;
  void while_waiting(WhileWaiting call) override { while_waiting_ = std::move(call); }

 private:
  struct Part {
    int64_t first, floats;
  };

  static DeviceRow row_of(const at::Tensor& row) { return {row.data_ptr(), row.numel()}; }
  at::Tensor row_named(std::string_view name) const;
  at::Tensor state(std::string_view name, Part part) const;
  at::Tensor seen_gradient(Part part) const;
  void update(Part part);
  void update_unless_overflowed(Part part);
  void update_those_waiting();
  void wait_for_updates();  // the engine's stream does, not the host
  void apply_rule(const at::Tensor& values, const at::Tensor& seen, Part part);
  bool replays() const { return beside_.graph && beside_.graph->replays(); }

  ArenaLayout layout_;
  at::Device device_;
  Beside beside_;
  c10::Stream compute_, updates_;
  c10::Event gradients_ready_, values_ready_;
  at::Tensor values_, gradients_;
  at::Tensor computed_;  // the values in the engine's format; undefined: that is f32
  at::Tensor decays_;    // 1 for values that decay, else 0
  std::map<std::string, at::Tensor, std::less<>> states_;  // by name
  at::Tensor squares_;

  OptimizerSettings settings_;
  int64_t steps_ = 0;
  at::Tensor rate_;  // of this step; one number
  double scale_ = 1;
  double unscale_;  // of a loss scale that does not adapt
  std::optional<LossScaler> scaler_;
  std::vector<Part> waiting_;  // of this step: none is updated before all are known to be sound
  WhileWaiting while_waiting_;
};

}  // namespace lockstep::libtorch
