// lenet.cpp: LeNet-5 with the widths of later tutorials (LeCun et al. 1998), and the two-layer
// network of the deep MNIST tutorial.
#include "nn/models/networks.h"

namespace lockstep {
namespace {

NodeId two_convs(Builder& net) {
  NodeId x = net.conv(net.image(), {.filters = 32, .kernel = 5});
  x = net.max_pool(x, {.window = 2, .stride = 2});
  x = net.conv(x, {.filters = 64, .kernel = 5});
  return net.max_pool(x, {.window = 2, .stride = 2});
}

}  // namespace

void lenet(Builder& net) { net.classify(net.dense(two_convs(net), {.units = 512})); }

void mnist(Builder& net) {
  const NodeId x = net.dense(two_convs(net), {.units = 1024});
  net.classify(net.dropout(x));
}

}  // namespace lockstep
