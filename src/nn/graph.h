// graph.h: a network: layers in the order in which they were added, each after its inputs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nn/layers.h"
#include "tensor/shape.h"

namespace lockstep {

using NodeId = int;

struct Node {
  std::string name;  // unique in the graph: conv0, batchnorm0, ...
  Layer layer;
  std::vector<NodeId> inputs;
  Shape output;  // of one image
  Pads pads;     // resolved, of Conv and Pool
};

class Graph {
 public:
  explicit Graph(Shape image);  // channels x height x width

  NodeId image() const { return 0; }
  // Infers the output shape; throws Error when the layer does not fit its inputs.
  NodeId add(std::string name, Layer layer, std::vector<NodeId> inputs);

  const std::vector<Node>& nodes() const { return nodes_; }
  const Node& node(NodeId id) const { return nodes_[id]; }
  const Shape& shape(NodeId id) const { return nodes_[id].output; }

 private:
  std::vector<Node> nodes_;
};

// The word for a layer's kind in tables: "conv", "maxpool", "fc", ...
std::string_view kind_of(const Layer& layer);

// How often each node's output is read.
std::vector<std::vector<NodeId>> consumers_of(const Graph& graph);

// The loss whose hits are the network's: that with the largest weight, of equal ones the last. The
// image if there is none.
NodeId main_head(const Graph& graph);

}  // namespace lockstep
