// layers.cpp: the layers that are one or two calls: dense, elementwise, channels and the loss.
#include "engine/torch/layers.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>

#include <cmath>

#include "nn/dropout_mask.h"

namespace lockstep::libtorch {
namespace {

// Filled on the host by the rule that all engines share.
at::Tensor dropout_factors(at::IntArrayRef sizes, const RandomStream& random, double keep) {
  constexpr int64_t kElementsPerTask = 4096;
  const at::Tensor factors = at::empty(sizes);
  float* out = factors.data_ptr<float>();
  const float kept = static_cast<float>(1 / keep);
  at::parallel_for(0, factors.numel(), kElementsPerTask, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      out[i] = keeps(random, static_cast<uint64_t>(i), keep) ? kept : 0.0f;
    }
  });
  return factors;
}

// The same on the device: nn/dropout_mask.h in whole numbers of 64 bits, which wrap around alike.
// Shifts repeat the sign there, so masks clear it.
at::Tensor shifted_right(const at::Tensor& x, int bits) {
  return at::bitwise_right_shift(x, bits).bitwise_and_((int64_t{1} << (64 - bits)) - 1);
}

at::Tensor mixed(at::Tensor x) {  // RandomStream::mix()
  x = (x ^ shifted_right(x, 30)) * static_cast<int64_t>(0xbf58476d1ce4e5b9u);
  x = (x ^ shifted_right(x, 27)) * static_cast<int64_t>(0x94d049bb133111ebu);
  return x ^ shifted_right(x, 31);
}

at::Tensor dropout_factors_on_device(at::IntArrayRef sizes, const at::Tensor& key, double keep) {
  const at::Tensor numbers = at::arange(1, c10::multiply_integers(sizes) + 1, key.options());
  const at::Tensor bits = mixed(numbers * static_cast<int64_t>(RandomStream::kGolden) + key);
  const auto threshold = static_cast<int64_t>(std::ceil(keep * 0x1.0p24));
  const at::Tensor kept = shifted_right(bits, 40).lt(threshold);
  return (kept.to(at::kFloat) * static_cast<float>(1 / keep)).view(sizes);
}

// How many classes beat the right one, and any class beats a NaN; of kNoLabel: more than there are.
at::Tensor ranks_of(const at::Tensor& logits, const at::Tensor& labels) {
  constexpr int64_t kNeverHit = 1 << 30;
  const at::Tensor right = labels.clamp_min(0).unsqueeze(1);
  return logits.le(logits.gather(1, right)).logical_not().sum(1) + labels.eq(kNoLabel) * kNeverHit;
}

}  // namespace

bool may_overwrite_input(const Graph& graph, NodeId id) {
  const NodeId input = graph.node(id).inputs[0];
  const Layer& producer = graph.node(input).layer;
  const bool keeps_no_output =
      std::holds_alternative<Conv>(producer) || std::holds_alternative<BatchNorm>(producer) ||
      std::holds_alternative<Dense>(producer) || std::holds_alternative<Add>(producer);
  return keeps_no_output && consumers_of(graph)[input].size() == 1;
}

LayerCode make_code(const Image&, const Place&) {
  return {"none", [](const Inputs&, Step&) { return at::Tensor(); }};
}

LayerCode make_code(const Dense&, const Place& place) {
  const ParameterId kernel = place.parameters.id_of(place.id, ParameterRole::Kernel);
  const ParameterId bias = place.parameters.id_of(place.id, ParameterRole::Bias);
  return {"at::linear", [&parameters = place.parameters, kernel, bias](const Inputs& x, Step&) {
            return at::linear(x[0].flatten(1), parameters[kernel], parameters[bias]);
          }};
}

LayerCode make_code(const Relu& layer, const Place& place) {
  const bool in_place = may_overwrite_input(place.graph, place.id);
  if (std::isinf(layer.ceiling)) {
    if (!in_place) return {"at::relu", [](const Inputs& x, Step&) { return at::relu(x[0]); }};
    return {"at::relu_", [](const Inputs& x, Step&) { return x[0].relu_(); }};
  }
  return {"at::hardtanh", [ceiling = layer.ceiling, in_place](const Inputs& x, Step&) {
            at::Tensor y = x[0];
            return in_place ? at::hardtanh_(y, 0, ceiling) : at::hardtanh(y, 0, ceiling);
          }};
}

LayerCode make_code(const Dropout& layer, const Place& place) {
  if (!place.training()) return {"none", [](const Inputs& x, Step&) { return x[0]; }};
  const uint64_t seed = place.options.seed;
  const at::Tensor key = place.device.is_cpu() ? at::Tensor() : place.dropout_keys.add(place.id);
  return {"at::mul", [=, id = place.id, keep = layer.keep](const Inputs& x, Step& step) {
            const RandomStream random(seed, dropout_stream(id, step.index));
            const at::Tensor factors = key.defined()
                                           ? dropout_factors_on_device(x[0].sizes(), key, keep)
                                           : dropout_factors(x[0].sizes(), random, keep);
            return x[0] * factors.to(x[0].scalar_type()).contiguous(x[0].suggest_memory_format());
          }};
}

LayerCode make_code(const Add&, const Place&) {
  return {"at::add", [](const Inputs& x, Step&) { return x[0] + x[1]; }};
}

LayerCode make_code(const Concat&, const Place&) {
  return {"at::cat", [](const Inputs& x, Step&) { return at::cat(x, 1); }};
}

LayerCode make_code(const GlobalAveragePool&, const Place&) {
  return {"at::mean", [](const Inputs& x, Step&) { return at::mean(x[0], {2, 3}); }};
}

LayerCode make_code(const PadChannels& layer, const Place&) {
  return {"at::constant_pad_nd", [layer](const Inputs& x, Step&) {
            return at::constant_pad_nd(x[0], {0, 0, 0, 0, layer.before, layer.after});
          }};
}

LayerCode make_code(const SoftmaxLoss& layer, const Place& place) {
  const bool counts_hits = place.id == main_head(place.graph);
  return {"at::cross_entropy_loss",
          [=, weight = layer.weight, training = place.training()](const Inputs& x, Step& step) {
            const at::Tensor logits = x[0].to(at::kFloat);
            if (counts_hits) step.ranks = ranks_of(logits.detach(), step.labels);
            if (!training) return at::Tensor();
            const at::Tensor loss = at::cross_entropy_loss(logits, step.labels) * weight;
            step.loss = step.loss.defined() ? step.loss + loss : loss;
            return loss;
          }};
}

}  // namespace lockstep::libtorch
