#include "framework/network_json.h"

#include <array>
#include <cmath>

#include "config/json.h"
#include "nn/cost.h"
#include "nn/initial_values.h"
#include "nn/parameters.h"

namespace lockstep {
namespace {

Json pair_of(const Extent& extent) { return {extent.height, extent.width}; }

// The fields that only some kinds of layer have.
struct AddFields {
  Json& json;
  const Node& node;

  void window(const Extent& extent, int stride) const {
    json["kernel"] = pair_of(extent);
    json["stride"] = stride;
    json["pads"] = {node.pads.top, node.pads.bottom, node.pads.left, node.pads.right};
  }
  void operator()(const Conv& conv) const {
    window(conv.kernel, conv.stride);
    json["bias"] = conv.bias;
    json["depthwise"] = conv.depthwise;
  }
  void operator()(const Pool& pool) const { window(pool.window, pool.stride); }
  void operator()(const BatchNorm& norm) const {
    json["decay"] = norm.decay;
    json["epsilon"] = norm.epsilon;
    json["scale"] = norm.scale;
  }
  void operator()(const Lrn& lrn) const {
    json["radius"] = lrn.radius;
    json["bias"] = lrn.bias;
    json["alpha"] = lrn.alpha;
    json["beta"] = lrn.beta;
  }
  void operator()(const Relu& relu) const {
    json["ceiling"] = std::isfinite(relu.ceiling) ? Json(relu.ceiling) : Json(nullptr);
  }
  void operator()(const Dropout& dropout) const { json["keep"] = dropout.keep; }
  void operator()(const PadChannels& pad) const {
    json["before"] = pad.before;
    json["after"] = pad.after;
  }
  void operator()(const SoftmaxLoss& loss) const { json["weight"] = loss.weight; }
  void operator()(const auto&) const {}
};

constexpr std::array kRoleNames = {"kernel", "bias", "gamma", "beta"};

Json initial_json(const Graph& graph, const ParameterSpec& parameter) {
  if (const auto deviation = initial_deviation(graph, parameter)) {
    return {{"truncated_normal", *deviation}};
  }
  float first[1] = {};
  ParameterSpec one = parameter;  // what starts constant does so whatever its size
  one.shape = Shape{1};
  fill_initial_values(graph, one, 0, first);
  return {{"constant", first[0]}};
}

}  // namespace

Json layers_json(const Graph& graph) {
  Json layers = Json::array();
  std::vector<int64_t> parameters(graph.nodes().size());
  for (const ParameterSpec& parameter : parameters_of(graph)) {
    parameters[static_cast<size_t>(parameter.node)] += parameter.shape.elements();
  }
  for (NodeId id = 0; const Node& node : graph.nodes()) {
    Json layer = {{"name", node.name},
                  {"kind", kind_of(node.layer)},
                  {"output", node.output.dims()},
                  {"parameters", parameters[static_cast<size_t>(id)]},
                  {"forward_macs", forward_macs(graph, id)}};
    for (const NodeId input : node.inputs) layer["inputs"].push_back(graph.node(input).name);
    std::visit(AddFields{layer, node}, node.layer);
    layers.push_back(std::move(layer));
    ++id;
  }
  return layers;
}

Json variables_json(const Graph& graph) {
  Json list = Json::array();
  for (const ParameterSpec& parameter : parameters_of(graph)) {
    list.push_back({{"name", parameter.name},
                    {"layer", graph.node(parameter.node).name},
                    {"role", kRoleNames[static_cast<size_t>(parameter.role)]},
                    {"shape", parameter.shape.dims()},
                    {"decays", parameter.decays},
                    {"initial", initial_json(graph, parameter)}});
  }
  return list;
}

Json network_json(const Graph& graph) {
  return {{"layers", layers_json(graph)}, {"variables", variables_json(graph)}};
}

}  // namespace lockstep
