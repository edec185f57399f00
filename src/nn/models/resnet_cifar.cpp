// resnet_cifar.cpp: ResNet for CIFAR-10: pairs of 3x3 convolutions, and shortcuts without
// parameters (option A of He et al. 2015): drop every second pixel, fill new channels with zeros.
#include "nn/models/networks.h"

namespace lockstep {
namespace {

constexpr Activation kLinear = Activation::None;

NodeId shortcut(Builder& net, NodeId x, int filters, int stride) {
  const int missing = filters - static_cast<int>(net.channels(x));
  if (missing == 0) return x;
  x = net.average_pool(x, {.window = 1, .stride = stride});
  return net.pad_channels(x, {.before = missing / 2, .after = missing - missing / 2});
}

NodeId block_v1(Builder& net, NodeId x, int filters, int stride) {
  const NodeId kept = shortcut(net, x, filters, stride);
  x = net.conv(x, {.filters = filters, .kernel = 3, .stride = stride});
  x = net.conv(x, {.filters = filters, .kernel = 3, .activation = kLinear});
  return net.relu(net.add(kept, x));
}

NodeId block_v2(Builder& net, NodeId x, int filters, int stride) {
  const NodeId kept = shortcut(net, x, filters, stride);
  x = net.relu(net.batch_norm(x));
  x = net.conv(x, {.filters = filters, .kernel = 3, .stride = stride});
  x = net.conv(
      x,
      {.filters = filters, .kernel = 3, .bias = false, .batch_norm = false, .activation = kLinear});
  return net.add(kept, x);
}

}  // namespace

void resnet_cifar(Builder& net, int blocks_per_stage, ResnetVersion version) {
  const bool v2 = version == ResnetVersion::V2;
  net.set_defaults({.batch_norm = BatchNorm{.decay = 0.9, .epsilon = 1e-5, .scale = true}});
  NodeId x = net.conv(net.image(),
                      {.filters = 16, .kernel = 3, .activation = v2 ? Activation::Relu : kLinear});
  for (const int filters : {16, 32, 64}) {
    for (int i = 0; i < blocks_per_stage; ++i) {
      const int stride = filters > 16 && i == 0 ? 2 : 1;
      x = v2 ? block_v2(net, x, filters, stride) : block_v1(net, x, filters, stride);
    }
  }
  if (v2) x = net.relu(net.batch_norm(x));
  net.classify(net.global_average_pool(x));
}

}  // namespace lockstep
