// cost.h: the arithmetic and memory cost of a network.
#pragma once

#include <cstdint>

#include "nn/graph.h"

namespace lockstep {

struct Cost {
  int64_t forward_macs = 0;      // multiply-adds of convolutions and dense layers, per image;
                                 // a training step takes three times as many
  int64_t parameters = 0;        // learned floats
  int64_t gradient_tensors = 0;  // what workers exchange, one by one
  int64_t moving_averages = 0;   // floats that batch normalisation keeps besides
  int64_t activation_bytes = 0;  // outputs of all layers, per image, if none shared memory
};

Cost cost_of(const Graph& graph);

int64_t forward_macs(const Graph& graph, NodeId id);      // of one layer, per image
int64_t activation_bytes(const Graph& graph, NodeId id);  // of one layer's output, per image

}  // namespace lockstep
