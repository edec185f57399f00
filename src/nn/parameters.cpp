#include "nn/parameters.h"

namespace lockstep {
namespace {

struct Collect {
  const Graph& graph;
  NodeId id;
  std::vector<ParameterSpec>& specs;

  const Shape& input() const { return graph.shape(graph.node(id).inputs[0]); }
  void push(std::string_view suffix, Shape shape, ParameterRole role, bool decays) {
    specs.push_back({.name = fmt_name(suffix),
                     .shape = std::move(shape),
                     .node = id,
                     .role = role,
                     .decays = decays});
  }
  std::string fmt_name(std::string_view suffix) const {
    return graph.node(id).name + "/" + std::string(suffix);
  }

  void operator()(const Conv& conv) {
    const int64_t outputs = graph.shape(id).channels();
    const int64_t inputs = conv.depthwise ? 1 : input().channels();
    push("kernel", {outputs, inputs, conv.kernel.height, conv.kernel.width}, ParameterRole::Kernel,
         true);
    if (conv.bias) push("bias", {outputs}, ParameterRole::Bias, true);
  }
  void operator()(const Dense& dense) {
    push("kernel", {dense.units, input().elements()}, ParameterRole::Kernel, true);
    push("bias", {dense.units}, ParameterRole::Bias, true);
  }
  void operator()(const BatchNorm& norm) {
    const int64_t channels = graph.shape(id).channels();
    if (norm.scale) push("gamma", {channels}, ParameterRole::Gamma, false);
    push("beta", {channels}, ParameterRole::Beta, false);
  }
  void operator()(const auto&) {}  // the rest learns nothing
};

}  // namespace

std::vector<ParameterSpec> parameters_of(const Graph& graph) {
  std::vector<ParameterSpec> specs;
  for (NodeId id = 0; const Node& node : graph.nodes()) {
    std::visit(Collect{graph, id, specs}, node.layer);
    ++id;
  }
  return specs;
}

}  // namespace lockstep
