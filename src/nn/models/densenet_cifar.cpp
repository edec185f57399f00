// densenet_cifar.cpp: DenseNet for CIFAR-10 (Huang et al. 2016), basic variant.
//
// A transition keeps the number of channels, as in the paper. The established benchmark shrinks
// it to twice the growth by mistake, so its networks are smaller than these.
#include <cmath>

#include "nn/models/networks.h"

namespace lockstep {
namespace {

// Normalise, activate, convolve: the order of every layer here. He's deviation as if by 3x3.
NodeId layer(Builder& net, NodeId x, int filters, int kernel, Activation activation) {
  x = net.relu(net.batch_norm(x, {.decay = 0.9, .epsilon = 1e-5, .scale = true}));
  return net.conv(x, {.filters = filters,
                      .kernel = kernel,
                      .activation = activation,
                      .stddev = std::sqrt(2.0 / 9.0 / filters)});
}

NodeId dense_block(Builder& net, NodeId x, int layers, int growth) {
  for (int i = 0; i < layers; ++i) {
    x = net.concat({x, layer(net, x, growth, 3, Activation::None)});
  }
  return x;
}

NodeId transition(Builder& net, NodeId x) {
  x = layer(net, x, static_cast<int>(net.channels(x)), 1, Activation::Relu);
  return net.average_pool(x, {.window = 2, .stride = 2});
}

}  // namespace

void densenet_cifar(Builder& net, int layers_per_block, int growth) {
  NodeId x = net.conv(net.image(), {.filters = 16, .kernel = 3, .activation = Activation::None});
  x = transition(net, dense_block(net, x, layers_per_block, growth));
  x = transition(net, dense_block(net, x, layers_per_block, growth));
  x = dense_block(net, x, layers_per_block, growth);
  x = net.relu(net.batch_norm(x, {.decay = 0.9, .epsilon = 1e-5, .scale = true}));
  net.classify(net.global_average_pool(x));
}

}  // namespace lockstep
