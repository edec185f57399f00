#include "nn/graph.h"

#include <algorithm>

#include "base/error.h"
#include "nn/infer_shape.h"

namespace lockstep {

Graph::Graph(Shape image) {
  nodes_.push_back(
      {.name = "image", .layer = Image{}, .inputs = {}, .output = std::move(image), .pads = {}});
}

NodeId Graph::add(std::string name, Layer layer, std::vector<NodeId> inputs) {
  for (const Node& node : nodes_) {
    if (node.name == name) throw Error("the network already has a layer called {}", name);
  }
  std::vector<Shape> shapes;
  for (const NodeId input : inputs) shapes.push_back(nodes_.at(input).output);
  auto [output, pads] = infer_shape(name, layer, shapes);
  nodes_.push_back({.name = std::move(name),
                    .layer = layer,
                    .inputs = std::move(inputs),
                    .output = std::move(output),
                    .pads = pads});
  return static_cast<NodeId>(nodes_.size()) - 1;
}

std::string_view kind_of(const Layer& layer) {
  struct Name {
    std::string_view operator()(const Image&) { return "image"; }
    std::string_view operator()(const Conv& conv) { return conv.depthwise ? "depthwise" : "conv"; }
    std::string_view operator()(const Pool& pool) {
      return pool.kind == Pool::Max ? "maxpool" : "avgpool";
    }
    std::string_view operator()(const Dense&) { return "fc"; }
    std::string_view operator()(const BatchNorm&) { return "bn"; }
    std::string_view operator()(const Lrn&) { return "lrn"; }
    std::string_view operator()(const Relu& relu) { return relu.ceiling == 6 ? "relu6" : "relu"; }
    std::string_view operator()(const Dropout&) { return "dropout"; }
    std::string_view operator()(const Add&) { return "add"; }
    std::string_view operator()(const Concat&) { return "concat"; }
    std::string_view operator()(const GlobalAveragePool&) { return "globalpool"; }
    std::string_view operator()(const PadChannels&) { return "padchannels"; }
    std::string_view operator()(const SoftmaxLoss&) { return "loss"; }
  };
  return std::visit(Name{}, layer);
}

std::vector<std::vector<NodeId>> consumers_of(const Graph& graph) {
  std::vector<std::vector<NodeId>> consumers(graph.nodes().size());
  for (NodeId id = 0; const Node& node : graph.nodes()) {
    for (const NodeId input : node.inputs) consumers[input].push_back(id);
    ++id;
  }
  return consumers;
}

NodeId main_head(const Graph& graph) {
  NodeId head = graph.image();
  double largest = 0;
  for (NodeId id = 0; const Node& node : graph.nodes()) {
    const auto* loss = std::get_if<SoftmaxLoss>(&node.layer);
    if (loss && loss->weight >= largest) {
      head = id;
      largest = loss->weight;
    }
    ++id;
  }
  return head;
}

}  // namespace lockstep
