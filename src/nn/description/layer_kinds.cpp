// layer_kinds.cpp: the kinds of layers of a network file, each with its keys. A new kind is a
// function and a row here, and a row of the table in docs/networks.md.
#include "base/error.h"
#include "nn/description/layer_reader.h"

namespace lockstep {
namespace {

using Inputs = std::vector<NodeId>;

constexpr TomlRange kFilters = {.least = 1, .most = 65536};
constexpr TomlRange kUnits = {.least = 1, .most = 1'000'000};
constexpr TomlRange kStride = {.least = 1, .most = 255};

void conv_keys(LayerReader& in, ConvSpec& spec) {
  in.key("stride", spec.stride, kStride);
  in.key("padding", spec.padding);
  in.key("bias", spec.bias);
  in.key("batch_norm", spec.batch_norm);
  in.key("activation", spec.activation);
  in.key("stddev", spec.stddev);
  in.key("initial_bias", spec.initial_bias, {.least = -1e6, .most = 1e6});
  in.read();
}

void conv(LayerReader& in, LayerDescription& layer) {
  ConvSpec spec;
  in.key("conv", spec.filters, kFilters);
  in.key("kernel", spec.kernel);
  conv_keys(in, spec);
  layer.add = [spec](Builder& net, const Inputs& inputs) { return net.conv(inputs[0], spec); };
}

void depthwise(LayerReader& in, LayerDescription& layer) {
  ConvSpec spec;
  in.key("depthwise", spec.kernel);
  conv_keys(in, spec);
  layer.add = [spec](Builder& net, const Inputs& inputs) { return net.depthwise(inputs[0], spec); };
}

template <Pool::Kind kind>
void pool(LayerReader& in, LayerDescription& layer) {
  Pool pool;
  in.key(kind == Pool::Max ? "max_pool" : "average_pool", pool.window);
  in.key("stride", pool.stride, kStride);
  in.key("padding", pool.padding);
  in.read();
  layer.add = [pool](Builder& net, const Inputs& inputs) {
    return kind == Pool::Max ? net.max_pool(inputs[0], pool) : net.average_pool(inputs[0], pool);
  };
}

void global_average_pool(LayerReader& in, LayerDescription& layer) {
  in.always("global_average_pool");
  in.read();
  layer.add = [](Builder& net, const Inputs& inputs) { return net.global_average_pool(inputs[0]); };
}

void dense(LayerReader& in, LayerDescription& layer) {
  DenseSpec spec;
  in.key("dense", spec.units, kUnits);
  in.key("activation", spec.activation);
  in.key("stddev", spec.stddev);
  in.key("initial_bias", spec.initial_bias, {.least = -1e6, .most = 1e6});
  in.read();
  layer.add = [spec](Builder& net, const Inputs& inputs) { return net.dense(inputs[0], spec); };
}

void dropout(LayerReader& in, LayerDescription& layer) {
  double dropped = 0;
  in.key("dropout", dropped, {.most = 0.99});
  in.read();
  layer.add = [dropped](Builder& net, const Inputs& inputs) {
    return net.dropout(inputs[0], {.keep = 1 - dropped});
  };
}

void lrn(LayerReader& in, LayerDescription& layer) {
  Lrn lrn;
  in.key("lrn", lrn.radius, {.least = 1, .most = 255});
  in.key("bias", lrn.bias, {.above = true});
  in.key("alpha", lrn.alpha);
  in.key("beta", lrn.beta);
  in.read();
  layer.add = [lrn](Builder& net, const Inputs& inputs) { return net.lrn(inputs[0], lrn); };
}

void pad_channels(LayerReader& in, LayerDescription& layer) {
  PadChannels pad;
  in.key("pad_channels", pad);
  in.read();
  layer.add = [pad](Builder& net, const Inputs& inputs) {
    return net.pad_channels(inputs[0], pad);
  };
}

void add(LayerReader& in, LayerDescription& layer) {
  Activation activation = Activation::None;
  in.key("activation", activation);
  in.read();
  layer.add = [activation](Builder& net, const Inputs& inputs) {
    if (inputs.size() != 2) throw Error("it needs two branches, not {}", inputs.size());
    return net.activate(net.add(inputs[0], inputs[1]), activation);
  };
}

void concat(LayerReader& in, LayerDescription& layer) {
  in.read();
  layer.add = [](Builder& net, const Inputs& inputs) { return net.concat(inputs); };
}

void repeat(LayerReader& in, LayerDescription& layer) {
  in.key("repeat", layer.times, {.least = 1, .most = 1000});
  in.read();
}

void classify(LayerReader& in, LayerDescription& layer) {
  Head head;
  in.always("classify");
  in.key("weight", head.weight, {.above = true});
  in.key("stddev", head.stddev);
  in.read();
  layer.add = [head](Builder& net, const Inputs& inputs) { return net.classify(inputs[0], head); };
}

void batch_norm(LayerReader& in, LayerDescription& layer) {
  std::optional<BatchNorm> norm;
  Activation activation = Activation::None;
  in.key("batch_norm", norm);
  in.key("activation", activation);
  in.read();
  layer.add = [norm, activation](Builder& net, const Inputs& inputs) {
    if (!norm) throw Error("batch_norm = false; leave it out");
    return net.activate(net.batch_norm(inputs[0], *norm), activation);
  };
}

void activation(LayerReader& in, LayerDescription& layer) {
  Activation activation = Activation::None;
  in.key("activation", activation);
  in.read();
  layer.add = [activation](Builder& net, const Inputs& inputs) {
    return net.activate(inputs[0], activation);
  };
}

// The first kind whose key a table has is its kind: those that are keys of others come last.
constexpr LayerKind kKinds[] = {
    {"conv", conv},
    {"depthwise", depthwise},
    {"max_pool", pool<Pool::Max>},
    {"average_pool", pool<Pool::Average>},
    {"global_average_pool", global_average_pool},
    {"dense", dense},
    {"dropout", dropout},
    {"lrn", lrn},
    {"pad_channels", pad_channels},
    {"add", add, InnerLayers::Branches},
    {"concat", concat, InnerLayers::Branches},
    {"repeat", repeat, InnerLayers::Layers},
    {"classify", classify},
    {"batch_norm", batch_norm, InnerLayers::None, true},
    {"activation", activation, InnerLayers::None, true},
    {"from", [](LayerReader& in, LayerDescription&) { in.read(); }, InnerLayers::None, true},
};

}  // namespace

std::span<const LayerKind> layer_kinds() { return kKinds; }

}  // namespace lockstep
