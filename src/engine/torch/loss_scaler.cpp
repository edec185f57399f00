#include "engine/torch/loss_scaler.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

namespace lockstep::libtorch {
namespace {

constexpr double kGrowth = 2, kBackoff = 0.5, kLeast = 1;

at::Tensor number(double value, at::Device device, at::ScalarType type = at::kFloat) {
  return at::full({1}, value, at::TensorOptions(device).dtype(type));
}

}  // namespace

LossScaler::LossScaler(const LossScale& options, at::Device device)
    : steps_to_double_(options.steps_to_double),
      scale_(number(options.first, device)),
      inverse_(number(1 / options.first, device)),
      overflowed_(number(0, device)),
      skipped_(number(0, device)),
      sound_steps_(number(0, device, at::kInt)) {}

void LossScaler::unscale(const at::Tensor& gradients) {
  at::_amp_foreach_non_finite_check_and_unscale_({gradients}, overflowed_, inverse_);
}

at::Tensor LossScaler::sound() const { return overflowed_.eq(0); }

void LossScaler::end_step() {
  skipped_.add_(overflowed_);
  at::_amp_update_scale_(scale_, sound_steps_, overflowed_, kGrowth, kBackoff, steps_to_double_);
  scale_.clamp_min_(kLeast);
  inverse_.copy_(scale_.reciprocal());
  overflowed_.zero_();
}

LossScaleState LossScaler::read() const {
  return {.scale = scale_.item<float>(),
          .sound_steps = sound_steps_.item<int>(),
          .skipped_updates = static_cast<int64_t>(skipped_.item<float>())};
}

void LossScaler::write(const LossScaleState& state) {
  scale_.fill_(state.scale);
  inverse_.fill_(1 / state.scale);
  sound_steps_.fill_(state.sound_steps);
  skipped_.fill_(static_cast<double>(state.skipped_updates));
}

}  // namespace lockstep::libtorch
