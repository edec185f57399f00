#include "nn/cost.h"

#include "nn/parameters.h"

namespace lockstep {
namespace {

struct CountMacs {
  const Shape& input;
  const Shape& output;

  int64_t operator()(const Conv& conv) const {
    const int64_t inputs = conv.depthwise ? 1 : input.channels();
    return output.elements() * inputs * conv.kernel.height * conv.kernel.width;
  }
  int64_t operator()(const Dense&) const { return output.elements() * input.elements(); }
  int64_t operator()(const auto&) const { return 0; }  // the rest is not worth counting
};

}  // namespace

int64_t forward_macs(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (node.inputs.empty()) return 0;
  return std::visit(CountMacs{graph.shape(node.inputs[0]), node.output}, node.layer);
}

int64_t activation_bytes(const Graph& graph, NodeId id) {
  return graph.shape(id).elements() * static_cast<int64_t>(sizeof(float));
}

Cost cost_of(const Graph& graph) {
  Cost cost;
  for (NodeId id = 0; const Node& node : graph.nodes()) {
    cost.forward_macs += forward_macs(graph, id);
    cost.activation_bytes += activation_bytes(graph, id);
    if (std::holds_alternative<BatchNorm>(node.layer)) {
      cost.moving_averages += 2 * node.output.channels();
    }
    ++id;
  }
  for (const ParameterSpec& parameter : parameters_of(graph)) {
    cost.parameters += parameter.shape.elements();
    ++cost.gradient_tensors;
  }
  return cost;
}

}  // namespace lockstep
