#include "engine/torch/device_rows.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <c10/core/StreamGuard.h>

#include <cassert>
#include <cmath>

#include "engine/torch/device.h"
#include "engine/torch/torch_dtype.h"

namespace lockstep::libtorch {
namespace {

float initial_of(std::string_view optimizer, std::string_view state) {
  return optimizer == "rmsprop" && state == "mean_square" ? 1.0f : 0.0f;
}

at::Tensor host_view(std::span<const float> row) {
  return at::from_blob(const_cast<float*>(row.data()), {std::ssize(row)});
}

}  // namespace

DeviceRows::DeviceRows(const ArenaLayout& layout, const EngineOptions& options, at::Device device,
                       const Beside& beside)
    : layout_(layout),
      device_(device),
      beside_(beside),
      compute_(current_stream(device)),
      updates_(new_stream(device)),
      gradients_ready_(device.type()),
      values_ready_(device.type()),
      values_(at::zeros({layout.floats()}, at::TensorOptions(device))),
      gradients_(at::zeros_like(values_)),
      decays_(at::zeros_like(values_)),
      squares_(at::zeros({}, at::TensorOptions(device))),
      rate_(at::zeros_like(squares_)),
      unscale_(options.loss_scale.automatic ? 1 : 1 / options.loss_scale.first) {
  if (has_16_bits(options.dtype)) computed_ = values_.to(type_of(options.dtype));
  if (options.loss_scale.automatic) scaler_.emplace(options.loss_scale, device);
}

// What is queued on both streams still uses the rows. After a fault of the device there is nothing
// to wait for.
DeviceRows::~DeviceRows() {
  try {
    wait_for_updates();
  } catch (const std::exception&) {  // whoever used the device was told
  }
}

void DeviceRows::wait_for_updates() {
  values_ready_.record(updates_);
  values_ready_.block(compute_);
}

// A view that does not notice when others change the row: autograd would refuse to use the values
// of a layer once those of any other layer are updated.
at::Tensor DeviceRows::value_of(ParameterId id, const at::Tensor& like) const {
  const at::Tensor& row = like.scalar_type() == at::kFloat ? values_ : computed_;
  return row.as_strided(like.sizes(), like.strides(), layout_.offset(id)).variable_data();
}

void DeviceRows::write_value(ParameterId id, const at::Tensor& value) const {
  const auto write_to = [&](const at::Tensor& row) {
    row.as_strided(value.sizes(), value.strides(), layout_.offset(id)).copy_(value);
  };
  write_to(values_);
  if (computed_.defined()) write_to(computed_);
}

at::Tensor DeviceRows::gradient_of(ParameterId id, const at::Tensor& like) const {
  return gradients_.as_strided(like.sizes(), like.strides(), layout_.offset(id));
}

void DeviceRows::set_optimizer(const OptimizerSettings& settings,
                               std::span<const OptimizedParameter> parameters) {
  settings_ = settings;
  steps_ = 0;
  if (beside_.graph) beside_.graph->reset();
  wait_for_updates();  // those that are queued use the rows which go
  states_.clear();
  for (const std::string_view name : optimizer_memory(settings.name)) {
    states_[std::string(name)] = at::full_like(values_, initial_of(settings.name, name));
  }
  for (ParameterId id = 0; const OptimizedParameter& parameter : parameters) {
    decays_.narrow(0, layout_.offset(id), layout_.size(id)).fill_(parameter.decays ? 1 : 0);
    ++id;
  }
}

void DeviceRows::begin_step(double learning_rate, double gradient_scale) {
  ++steps_;
  scale_ = gradient_scale;
  double rate = learning_rate;
  if (settings_.name == "adam") {
    const double t = static_cast<double>(steps_);
    rate *=
        std::sqrt(1 - std::pow(settings_.adam_beta2, t)) / (1 - std::pow(settings_.adam_beta1, t));
  }
  rate_.fill_(rate);  // on the engine's stream, which has waited for the updates before
}

void DeviceRows::take_gradients() {
  if (replays()) return;
  gradients_ready_.record(compute_);
  gradients_ready_.block(updates_);
}

void DeviceRows::update(int64_t first_float, int64_t floats) {
  if (replays()) return;
  const c10::StreamGuard on_updates(updates_);
  const Part part = {first_float, floats};
  if (!scaler_) return update(part);
  scaler_->unscale(gradients_.narrow(0, part.first, part.floats));
  waiting_.push_back(part);
}

void DeviceRows::update(Part part) {
  const auto [first, floats] = part;
  const at::Tensor values = values_.narrow(0, first, floats);
  if (first == 0) squares_.zero_();
  if (scaler_) {
    update_unless_overflowed(part);
  } else {
    apply_rule(values, seen_gradient(part), part);
  }
  if (computed_.defined()) computed_.narrow(0, first, floats).copy_(values);
  squares_.add_((values * decays_.narrow(0, first, floats)).dot(values));
}

// The host does not know whether a gradient has overflowed. So the update is made, and taken back
// where one has. The count of steps, by which adam corrects its means, has this one all the same.
void DeviceRows::update_unless_overflowed(Part part) {
  std::vector<std::pair<at::Tensor, at::Tensor>> before;
  const auto keep = [&](const at::Tensor& row) { before.emplace_back(row, row.clone()); };
  const at::Tensor values = values_.narrow(0, part.first, part.floats);
  keep(values);
  for (const auto& [name, row] : states_) keep(state(name, part));
  apply_rule(values, seen_gradient(part), part);
  const at::Tensor sound = scaler_->sound();
  for (const auto& [row, old] : before) row.copy_(at::where(sound, row, old));
}

void DeviceRows::update_those_waiting() {
  const c10::StreamGuard on_updates(updates_);
  for (const Part part : waiting_) update(part);
  waiting_.clear();
  scaler_->end_step();
}

void DeviceRows::give_values() {
  if (!waiting_.empty()) update_those_waiting();
  if (!replays()) wait_for_updates();
  if (beside_.graph && beside_.graph->end()) beside_.report.launched();
  beside_.report.values_ready();
}

void DeviceRows::values_given() {
  const c10::StreamGuard on_updates(updates_);
  squares_.copy_((values_ * decays_).dot(values_));
  if (computed_.defined()) computed_.copy_(values_);
}

// As SeenGradient of nn/update_rules.h: the mean over replicas plus weight decay, then clipped.
at::Tensor DeviceRows::seen_gradient(Part part) const {
  const auto [first, floats] = part;
  at::Tensor seen = gradients_.narrow(0, first, floats) * (scale_ * unscale_);
  if (settings_.weight_decay > 0) {
    seen.addcmul_(values_.narrow(0, first, floats), decays_.narrow(0, first, floats),
                  settings_.weight_decay);
  }
  if (const auto& limit = settings_.gradient_clip) seen.clamp_(-*limit, *limit);
  return seen;
}

at::Tensor DeviceRows::state(std::string_view name, Part part) const {
  return states_.find(name)->second.narrow(0, part.first, part.floats);
}

// The formulas stand in nn/update_rules.h. `seen` may be overwritten.
void DeviceRows::apply_rule(const at::Tensor& values, const at::Tensor& seen, Part part) {
  if (settings_.name == "sgd" || settings_.name == "momentum") {
    const bool has_momentum = settings_.name == "momentum";
    std::vector<at::Tensor> sums;
    if (has_momentum) sums.push_back(state("momentum", part));
    at::_fused_sgd_({values}, {seen}, sums, /*weight_decay=*/0,
                    has_momentum ? settings_.momentum : 0, rate_, /*dampening=*/0,
                    /*nesterov=*/has_momentum, /*maximize=*/false, /*is_first_step=*/false);
  } else if (settings_.name == "rmsprop") {
    const double decay = settings_.rmsprop_decay;
    const at::Tensor squares =
        state("mean_square", part).mul_(decay).addcmul_(seen, seen, 1 - decay);
    values.sub_(state("momentum", part)
                    .mul_(settings_.rmsprop_momentum)
                    .addcdiv_(seen * rate_, (squares + settings_.rmsprop_epsilon).sqrt_()));
  } else {
    assert(settings_.name == "adam");
    const double beta1 = settings_.adam_beta1, beta2 = settings_.adam_beta2;
    const at::Tensor means = state("mean", part).mul_(beta1).add_(seen, 1 - beta1);
    const at::Tensor squares =
        state("mean_square", part).mul_(beta2).addcmul_(seen, seen, 1 - beta2);
    values.addcdiv_(means * rate_, squares.sqrt().add_(settings_.adam_epsilon), -1);
  }
}

at::Tensor DeviceRows::row_named(std::string_view name) const {
  return name == "values" ? values_ : states_.find(name)->second;
}

void DeviceRows::wait() {
  take_gradients();  // and values that were written on the engine's stream
  values_ready_.record(updates_);
  wait_for(values_ready_, while_waiting_);
}

// After wait() nothing is queued that writes to the rows, so any stream may read them.
void DeviceRows::read_row(std::string_view name, std::span<float> row) {
  wait();
  host_view(row).copy_(row_named(name));
}

// These two on the engine's stream: it has waited for the updates so far, and the next ones wait
// for it with the first gradients.
void DeviceRows::write_row(std::string_view name, std::span<const float> row) {
  row_named(name).copy_(host_view(row));
}

void DeviceRows::set_loss_scale(const LossScaleState& state) {
  if (scaler_) scaler_->write(state);
}

std::optional<LossScaleState> DeviceRows::loss_scale() {
  if (!scaler_) return {};
  wait();
  return scaler_->read();
}

}  // namespace lockstep::libtorch
