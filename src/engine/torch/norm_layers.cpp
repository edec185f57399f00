// norm_layers.cpp: batch normalisation and local response normalisation.
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include "engine/torch/layers.h"

namespace lockstep::libtorch {
namespace {

// LibTorch hands out 1 / sqrt(variance + epsilon) of the batch, with the biased variance.
void move_averages(Averages& averages, const at::Tensor& mean, const at::Tensor& inverse_deviation,
                   const BatchNorm& layer) {
  averages.mean.lerp_(mean, 1 - layer.decay);
  averages.variance.lerp_(inverse_deviation.pow(-2).sub_(layer.epsilon), 1 - layer.decay);
}

}  // namespace

LayerCode make_code(const BatchNorm& layer, const Place& place) {
  const ParameterTensors& parameters = place.parameters;
  const ParameterId beta = parameters.id_of(place.id, ParameterRole::Beta);
  const ParameterId gamma =
      layer.scale ? parameters.id_of(place.id, ParameterRole::Gamma) : ParameterId{-1};
  Averages* averages = place.averages.add(place.node().name, place.input_shape().channels());
  const auto scale = [&parameters, gamma] { return gamma < 0 ? at::Tensor() : parameters[gamma]; };
  if (!place.training()) {
    return {"at::native_batch_norm", [=, &parameters](const Inputs& x, Step&) {
              return std::get<0>(at::native_batch_norm(
                  x[0], scale(), parameters[beta], averages->mean, averages->variance,
                  /*training=*/false, /*momentum=*/0, layer.epsilon));
            }};
  }
  return {"at::native_batch_norm", [=, &parameters](const Inputs& x, Step&) {
            const auto [y, mean, inverse_deviation] =
                at::native_batch_norm(x[0], scale(), parameters[beta], {}, {}, /*training=*/true,
                                      /*momentum=*/0, layer.epsilon);
            move_averages(*averages, mean, inverse_deviation, layer);
            return y;
          }};
}

// ATen has no sum over neighbouring channels, but channels are the first axis of a volume, and
// pooling over a volume sums (here: averages with a divisor of 1) windows of it. In f32: squares
// overflow in fp16.
LayerCode make_code(const Lrn& layer, const Place&) {
  const int64_t window = 2 * layer.radius + 1;
  return {
      "at::avg_pool3d, at::pow", [layer, window](const Inputs& x, Step&) {
        const at::Tensor wide = x[0].to(at::kFloat);
        const at::Tensor volume = at::constant_pad_nd((wide * wide).unsqueeze(1),
                                                      {0, 0, 0, 0, layer.radius, layer.radius});
        const at::Tensor sums =
            at::avg_pool3d(volume, {window, 1, 1}, {1, 1, 1}, {0, 0, 0}, /*ceil_mode=*/false,
                           /*count_include_pad=*/true, /*divisor_override=*/1)
                .squeeze(1);
        return (wide * (sums * layer.alpha + layer.bias).pow(-layer.beta)).to(x[0].scalar_type());
      }};
}

}  // namespace lockstep::libtorch
