#include "nn/builder.h"

#include "base/error.h"

namespace lockstep {
namespace {

// The stem of a node's name. Layers with parameters are called as checkpoints of the established
// benchmark call them.
std::string stem_of(const Layer& layer) {
  if (std::holds_alternative<Dense>(layer)) return "affine";
  if (std::holds_alternative<BatchNorm>(layer)) return "batchnorm";
  return std::string(kind_of(layer));
}

void check_bias(const ConvSpec& spec, bool normalised) {
  if (normalised && spec.bias == true) {
    throw Error(
        "bias = true: batch normalisation follows and removes it; leave out bias or set "
        "batch_norm = false");
  }
  const bool biased = spec.bias.value_or(!normalised);
  if (!biased && spec.initial_bias != 0) {
    throw Error("initial_bias = {}: the convolution has no bias; leave it out or set {}",
                spec.initial_bias, normalised ? "batch_norm = false" : "bias = true");
  }
}

}  // namespace

NodeId Builder::append(Layer layer, std::vector<NodeId> inputs) {
  const std::string stem = stem_of(layer);
  const int number = names_used_[stem]++;
  return graph_.add(stem + std::to_string(number), std::move(layer), std::move(inputs));
}

Extent Builder::extent(NodeId id) const {
  const Shape& shape = graph_.shape(id);
  return {static_cast<int>(shape.height()), static_cast<int>(shape.width())};
}

NodeId Builder::conv(NodeId input, const ConvSpec& spec) { return convolve(input, spec, false); }

NodeId Builder::depthwise(NodeId input, const ConvSpec& spec) {
  return convolve(input, spec, true);
}

NodeId Builder::convs(NodeId input, std::initializer_list<ConvSpec> specs) {
  for (const ConvSpec& spec : specs) input = conv(input, spec);
  return input;
}

NodeId Builder::convolve(NodeId input, const ConvSpec& spec, bool depthwise) {
  const bool normalised = spec.batch_norm.value_or(defaults_.batch_norm.has_value());
  check_bias(spec, normalised);
  NodeId x = append(Conv{.filters = spec.filters,
                         .kernel = spec.kernel,
                         .stride = spec.stride,
                         .padding = spec.padding,
                         .bias = spec.bias.value_or(!normalised),
                         .depthwise = depthwise,
                         .stddev = spec.stddev ? spec.stddev : defaults_.stddev,
                         .initial_bias = spec.initial_bias},
                    {input});
  if (normalised) x = batch_norm(x, defaults_.batch_norm.value_or(BatchNorm{}));
  return activate(x, spec.activation.value_or(defaults_.activation));
}

NodeId Builder::max_pool(NodeId input, Pool pool) {
  pool.kind = Pool::Max;
  return append(pool, {input});
}

NodeId Builder::average_pool(NodeId input, Pool pool) {
  pool.kind = Pool::Average;
  return append(pool, {input});
}

NodeId Builder::dense(NodeId input, const DenseSpec& spec) {
  const NodeId x = append(Dense{.units = spec.units,
                                .stddev = spec.stddev,
                                .gain = spec.activation == Activation::None ? 1.0 : 2.0,
                                .initial_bias = spec.initial_bias},
                          {input});
  return activate(x, spec.activation);
}

NodeId Builder::batch_norm(NodeId input, const BatchNorm& norm) { return append(norm, {input}); }

NodeId Builder::activate(NodeId input, Activation activation) {
  if (activation == Activation::None) return input;
  return append(activation == Activation::Relu6 ? Relu{.ceiling = 6} : Relu{}, {input});
}

NodeId Builder::lrn(NodeId input, const Lrn& lrn) { return append(lrn, {input}); }
NodeId Builder::dropout(NodeId input, Dropout dropout) { return append(dropout, {input}); }
NodeId Builder::add(NodeId left, NodeId right) { return append(Add{}, {left, right}); }
NodeId Builder::concat(std::vector<NodeId> inputs) { return append(Concat{}, std::move(inputs)); }
NodeId Builder::pad_channels(NodeId input, PadChannels pad) { return append(pad, {input}); }
NodeId Builder::global_average_pool(NodeId input) { return append(GlobalAveragePool{}, {input}); }

NodeId Builder::classify(NodeId features, const Head& head) {
  const NodeId logits =
      dense(features,
            {.units = options_.num_classes, .activation = Activation::None, .stddev = head.stddev});
  return append(SoftmaxLoss{.weight = head.weight}, {logits});
}

}  // namespace lockstep
