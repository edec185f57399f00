// parameters.h: the parameters of a network, in creation order.
#pragma once

#include <string>
#include <vector>

#include "nn/graph.h"

namespace lockstep {

enum class ParameterRole { Kernel, Bias, Gamma, Beta };

struct ParameterSpec {
  std::string name;  // "conv0/kernel", "batchnorm0/gamma"
  Shape shape;       // conv: output x input x height x width; depthwise: channels x 1 x height x
                     // width; dense: output x input (input flattened by channel, row, column)
  NodeId node;
  ParameterRole role;
  bool decays;  // L2 covers kernels and biases, not batch normalisation
};

std::vector<ParameterSpec> parameters_of(const Graph& graph);

}  // namespace lockstep
