// layer_description.h: the layers of a network file as plain values, before they are written into a
// graph.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "nn/builder.h"

namespace lockstep {

struct LayerDescription;
using LayerSequence = std::vector<LayerDescription>;

struct LayerDescription {
  std::string place;  // "net.toml:12: layer 3 (conv)"
  std::string name;   // for `from` of later layers; empty: none
  std::string from;   // name of the layer that is its input; empty: the one before it
  int times = 1;      // of repeat
  // Of add and concat: where each input comes from. Of repeat: what is repeated.
  std::vector<LayerSequence> branches = {};
  // Adds the layer to a network. The inputs are one, or the ends of the branches.
  std::function<NodeId(Builder&, const std::vector<NodeId>& inputs)> add;
};

// Writes all layers behind `input`. Returns the place of the layer that added each node of the
// network; empty for those that were there before. Throws UsageError, with the place of the layer,
// when a layer does not fit its inputs or the network becomes too large.
std::vector<std::string> write_layers(const LayerSequence& layers, Builder& net, NodeId input);

}  // namespace lockstep
