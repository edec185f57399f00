// small_networks.h: networks that take milliseconds, one for every way a layer can be used.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "nn/graph.h"

namespace lockstep {

struct SmallNetwork {
  std::string name;  // messages and digits
  Graph graph;
  int batch;
};

// How GoogleTest shows one.
inline void PrintTo(const SmallNetwork& network, std::ostream* out) { *out << network.name; }

// One layer between a convolution (so that its input has a gradient) and a dense head.
std::vector<SmallNetwork> single_layer_networks();
// Layers that engines fuse, branches, and values used more than once.
std::vector<SmallNetwork> block_networks();
std::vector<SmallNetwork> all_small_networks();

// The network with that name; it must exist.
SmallNetwork small_network(const std::string& name);

// Dense layer to seven classes and the loss.
NodeId add_head(Graph& graph, NodeId x);

}  // namespace lockstep
