#include "engine/native/lowering.h"

#include <algorithm>
#include <cassert>

#include "base/error.h"
#include "engine/native/conv_op.h"
#include "engine/native/dense_op.h"
#include "engine/native/gradient_sum.h"
#include "engine/native/simple_ops.h"
#include "engine/native/window_op.h"
#include "nn/cost.h"
#include "nn/parameters.h"

namespace lockstep::native {
namespace {

class Lowering {
 public:
  Lowering(const Graph& graph, const EngineOptions& options, const Layout& layout,
           const Device& device, ConvChooser& chooser)
      : graph_(graph),
        options_(options),
        layout_(layout),
        device_(device),
        chooser_(chooser),
        consumers_(consumers_of(graph)),
        main_head_(main_head(graph)),
        specs_(parameters_of(graph)),
        value_of_(graph.nodes().size()),
        fused_(graph.nodes().size()) {}

  Lowered run() {
    check_everything_leads_to_a_loss();
    value_of_[graph_.image()] = new_value(graph_.image(), Format::Image, false);
    for (NodeId id = 1; id < static_cast<NodeId>(graph_.nodes().size()); ++id) {
      if (!fused_[id]) std::visit([&](const auto& layer) { emit(id, layer); }, node(id).layer);
    }
    return std::move(out_);
  }

 private:
  const Node& node(NodeId id) const { return graph_.node(id); }
  bool training() const { return options_.mode == Mode::Training; }

  void check_everything_leads_to_a_loss() const {
    for (NodeId id = 0; id < static_cast<NodeId>(graph_.nodes().size()); ++id) {
      if (consumers_[id].empty() && !std::holds_alternative<SoftmaxLoss>(node(id).layer)) {
        throw Error("layer {} is not connected to the loss", node(id).name);
      }
    }
  }

  // ---- fusion: a chain of nodes of which each is the only reader of the one before ----

  struct Chain {
    NodeId last;       // its value is the operation's output
    std::string what;  // "conv+relu"
  };

  Chain chain(NodeId id) const { return {id, std::string(kind_of(node(id).layer))}; }

  template <typename L>
  const L* next_is(const Chain& so_far) const {
    if (consumers_[so_far.last].size() != 1) return nullptr;
    return std::get_if<L>(&node(consumers_[so_far.last][0]).layer);
  }
  void absorb(Chain& so_far) {
    so_far.last = consumers_[so_far.last][0];
    so_far.what += fmt::format("+{}", kind_of(node(so_far.last).layer));
    fused_[so_far.last] = true;
  }
  Bounds absorb_relu(Chain& so_far) {
    const Relu* relu = next_is<Relu>(so_far);
    if (!relu) return kUnbounded;
    absorb(so_far);
    return {0, relu->ceiling};
  }
  // The other input of the addition that follows, if it is computed already.
  Value* absorb_add(Chain& so_far) {
    if (!next_is<Add>(so_far)) return nullptr;
    const Node& add = node(consumers_[so_far.last][0]);
    const NodeId other = add.inputs[0] == so_far.last ? add.inputs[1] : add.inputs[0];
    if (!value_of_[other]) return nullptr;
    Value* residual = blocked(other);
    absorb(so_far);
    return residual;
  }

  OpInfo info(NodeId id, const Chain& chain) const {
    return {.layer = node(id).name,
            .what = chain.what,
            .kernel = {},
            .output = graph_.shape(chain.last),
            .forward_macs = forward_macs(graph_, id)};
  }

  // ---- values ----

  Value* new_value(NodeId id, Format format, bool needs_gradient) {
    out_.values.push_back(std::make_unique<Value>());
    Value* value = out_.values.back().get();
    value->shape = graph_.shape(id);
    value->format = format;
    value->needs_gradient = needs_gradient && training();
    return value;
  }
  Value* output(const Chain& chain, Format format, bool needs_gradient) {
    Value*& value = value_of_[chain.last];
    if (!value) value = new_value(chain.last, format, needs_gradient);
    value->needs_gradient = needs_gradient && training();
    return value;
  }
  // The image arrives in plain layout; all users of the blocked layout share one copy.
  Value* blocked(NodeId id) {
    Value* value = value_of_[id];
    return value->format == Format::Image ? converted(id, Format::Blocked, blocked_image_) : value;
  }
  Value* flat(NodeId id) {
    Value* value = value_of_[id];
    Value* fresh = nullptr;
    return value->format == Format::Flat ? value : converted(id, Format::Flat, fresh);
  }
  Value* converted(NodeId id, Format format, Value*& cache) {
    if (cache) return cache;
    Value* from = value_of_[id];
    cache = new_value(id, format, from->needs_gradient);
    OpInfo op = {.layer = node(id).name,
                 .what = format == Format::Flat ? "flatten" : "block",
                 .kernel = {},
                 .output = from->shape,
                 .forward_macs = 0};
    out_.ops.push_back(make_reorder_op(std::move(op), device_, layout_, *from, *cache));
    return cache;
  }
  // Where a concatenation can be written in place.
  void make_slice(Value* value, NodeId id) {
    if (consumers_[id].size() != 1) return;
    const NodeId reader = consumers_[id][0];
    if (!std::holds_alternative<Concat>(node(reader).layer)) return;
    int64_t channel = 0;
    for (const NodeId input : node(reader).inputs) {
      if (input == id) break;
      channel += graph_.shape(input).channels();
    }
    if (channel % layout_.block != 0 || value->shape.channels() % layout_.block != 0) return;
    Value*& whole = value_of_concat(reader);
    value->parent = whole;
    value->data.start = channel * value->shape.height() * value->shape.width();
  }
  Value*& value_of_concat(NodeId id) {
    concats_.resize(graph_.nodes().size());
    if (!concats_[id]) concats_[id] = new_value(id, Format::Blocked, true);
    return concats_[id];
  }

  ParameterId parameter(NodeId id, ParameterRole role) const {
    const auto found = std::find_if(specs_.begin(), specs_.end(), [&](const ParameterSpec& spec) {
      return spec.node == id && spec.role == role;
    });
    assert(found != specs_.end());
    return static_cast<ParameterId>(found - specs_.begin());
  }

  NormState* new_state(NodeId id) {
    const int64_t channels = graph_.shape(id).channels(), padded = layout_.padded(channels);
    out_.states.push_back(std::make_unique<NormState>());
    NormState* state = out_.states.back().get();
    state->mean.assign(padded, 0.0f);
    state->variance.assign(padded, 1.0f);
    const size_t count = static_cast<size_t>(channels);
    out_.state_infos.push_back({node(id).name + "/moving_mean", {state->mean.data(), count}});
    out_.state_infos.push_back(
        {node(id).name + "/moving_variance", {state->variance.data(), count}});
    return state;
  }

  NormSpec norm_spec(NodeId id, const BatchNorm& layer) {
    NormSpec spec{};
    spec.layer = layer;
    if (layer.scale) spec.gamma = parameter(id, ParameterRole::Gamma);
    spec.beta = parameter(id, ParameterRole::Beta);
    spec.state = new_state(id);
    spec.mode = options_.mode;
    return spec;
  }

  // ---- one layer each ----

  void emit(NodeId, const Image&) {}

  void emit(NodeId id, const Conv& layer) {
    Chain so_far = chain(id);
    ConvSpec spec{.layer = layer,
                  .pads = node(id).pads,
                  .kernel = parameter(id, ParameterRole::Kernel),
                  .bias = {},
                  .x = value_of_[node(id).inputs[0]],
                  .y = nullptr,
                  .bounds = kUnbounded,
                  .mode = options_.mode,
                  .folded = {}};
    if (layer.bias) spec.bias = parameter(id, ParameterRole::Bias);
    if (!training()) {
      if (const BatchNorm* norm = next_is<BatchNorm>(so_far)) {
        absorb(so_far);
        spec.folded = norm_spec(so_far.last, *norm);
      }
    }
    spec.bounds = absorb_relu(so_far);
    spec.y = output(so_far, Format::Blocked, true);
    out_.ops.push_back(make_conv_op(info(id, so_far), {device_, layout_, chooser_}, spec));
  }

  void emit(NodeId id, const BatchNorm& layer) {
    Chain so_far = chain(id);
    NormSpec spec = norm_spec(id, layer);
    spec.x = blocked(node(id).inputs[0]);
    spec.residual = absorb_add(so_far);
    spec.bounds = absorb_relu(so_far);
    spec.y = output(so_far, Format::Blocked, true);
    make_slice(spec.y, so_far.last);
    out_.ops.push_back(make_norm_op(info(id, so_far), layout_, spec));
  }

  void emit(NodeId id, const Dense&) {
    Chain so_far = chain(id);
    DenseSpec spec{.kernel = parameter(id, ParameterRole::Kernel),
                   .bias = parameter(id, ParameterRole::Bias),
                   .x = flat(node(id).inputs[0]),
                   .y = nullptr,
                   .bounds = absorb_relu(so_far),
                   .mode = options_.mode};
    spec.y = output(so_far, Format::Flat, true);
    out_.ops.push_back(make_dense_op(info(id, so_far), device_, layout_, spec));
  }

  WindowSpec window_spec(NodeId id) {
    Value* x = blocked(node(id).inputs[0]);
    Value* y = output(chain(id), Format::Blocked, x->needs_gradient);
    return {.x = x, .y = y, .pads = node(id).pads, .mode = options_.mode};
  }
  void emit(NodeId id, const Pool& layer) {
    const WindowSpec spec = window_spec(id);
    out_.ops.push_back(make_pool_op(info(id, chain(id)), device_, layout_, layer, spec));
  }
  void emit(NodeId id, const Lrn& layer) {
    const WindowSpec spec = window_spec(id);
    out_.ops.push_back(make_lrn_op(info(id, chain(id)), device_, layout_, layer, spec));
  }

  void emit(NodeId id, const Relu& layer) {
    Value* x = blocked(node(id).inputs[0]);
    Value* y = output(chain(id), x->format, x->needs_gradient);
    out_.ops.push_back(
        make_add_op(info(id, chain(id)), layout_, *x, nullptr, *y, {0, layer.ceiling}));
  }
  void emit(NodeId id, const Add&) {
    Chain so_far = chain(id);
    Value *a = blocked(node(id).inputs[0]), *b = blocked(node(id).inputs[1]);
    const Bounds bounds = absorb_relu(so_far);
    Value* y = output(so_far, a->format, a->needs_gradient || b->needs_gradient);
    out_.ops.push_back(make_add_op(info(id, so_far), layout_, *a, b, *y, bounds));
  }

  void emit(NodeId id, const Dropout& layer) {
    const NodeId input = node(id).inputs[0];
    if (!training()) {  // does nothing
      value_of_[id] = value_of_[input];
      return;
    }
    Value* x = blocked(input);
    Value* y = output(chain(id), x->format, x->needs_gradient);
    const DropoutSpec spec{.node = id, .keep = layer.keep, .seed = options_.seed, .x = x, .y = y};
    out_.ops.push_back(make_dropout_op(info(id, chain(id)), layout_, spec));
  }

  void emit(NodeId id, const Concat&) {
    std::vector<Placed> inputs;
    bool needs_gradient = false;
    for (int64_t channel = 0; const NodeId input : node(id).inputs) {
      inputs.push_back({blocked(input), channel});
      channel += graph_.shape(input).channels();
      needs_gradient |= inputs.back().value->needs_gradient;
    }
    value_of_[id] = value_of_concat(id);
    Value* y = output(chain(id), Format::Blocked, needs_gradient);
    out_.ops.push_back(make_place_op(info(id, chain(id)), layout_, std::move(inputs), *y));
  }
  void emit(NodeId id, const PadChannels& layer) {
    Value* x = blocked(node(id).inputs[0]);
    Value* y = output(chain(id), Format::Blocked, x->needs_gradient);
    out_.ops.push_back(make_place_op(info(id, chain(id)), layout_, {{x, layer.before}}, *y));
  }

  void emit(NodeId id, const GlobalAveragePool&) {
    Value* x = blocked(node(id).inputs[0]);
    Value* y = output(chain(id), Format::Flat, x->needs_gradient);
    out_.ops.push_back(make_global_pool_op(info(id, chain(id)), layout_, *x, *y));
  }

  void emit(NodeId id, const SoftmaxLoss& layer) {
    const LossSpec spec{.weight = layer.weight,
                        .counts_hits = id == main_head_,
                        .mode = options_.mode,
                        .logits = flat(node(id).inputs[0])};
    out_.ops.push_back(make_loss_op(info(id, chain(id)), layout_, spec));
  }

  const Graph& graph_;
  const EngineOptions& options_;
  const Layout& layout_;
  const Device& device_;
  ConvChooser& chooser_;
  std::vector<std::vector<NodeId>> consumers_;
  NodeId main_head_;
  std::vector<ParameterSpec> specs_;
  std::vector<Value*> value_of_;  // by node, once computed
  std::vector<Value*> concats_;   // by node, made when the first slice is
  std::vector<bool> fused_;       // by node: computed by an operation of an earlier node
  Value* blocked_image_ = nullptr;
  Lowered out_;
};

}  // namespace

Lowered lower(const Graph& graph, const EngineOptions& options, const Layout& layout,
              const Device& device, ConvChooser& chooser) {
  return Lowering(graph, options, layout, device, chooser).run();
}

}  // namespace lockstep::native
