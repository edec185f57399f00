// resnet.cpp: ResNet for ImageNet (He et al. 2015), v2 (He et al. 2016) and the widespread v1.5.
//
// Version 2 keeps the stem of version 1, batch normalisation and ReLU included, and normalises
// before a block without a scale, as the established benchmark does.
#include "nn/models/networks.h"

namespace lockstep {
namespace {

constexpr Activation kLinear = Activation::None;

struct Block {
  int bottleneck, depth, stride;
};

// The convolutions of versions 1 and 1.5: they differ in which one takes the stride.
NodeId block_v1(Builder& net, NodeId x, const Block& block, ResnetVersion version) {
  const int stride1 = version == ResnetVersion::V1 ? block.stride : 1;
  const int stride3 = version == ResnetVersion::V1_5 ? block.stride : 1;
  NodeId shortcut = x;
  if (net.channels(x) != block.depth) {
    shortcut = net.conv(x, {.filters = block.depth, .stride = block.stride, .activation = kLinear});
  }
  x = net.conv(x, {.filters = block.bottleneck, .stride = stride1});
  x = net.conv(x, {.filters = block.bottleneck,
                   .kernel = 3,
                   .stride = stride3,
                   .padding = Padding::SameResnet});
  x = net.conv(x, {.filters = block.depth, .activation = kLinear});
  return net.relu(net.add(shortcut, x));
}

NodeId block_v2(Builder& net, NodeId x, const Block& block) {
  const ConvSpec plain = {
      .filters = block.depth, .bias = false, .batch_norm = false, .activation = kLinear};
  const NodeId ready = net.relu(net.batch_norm(x));
  NodeId shortcut = x;
  if (net.channels(x) != block.depth) {
    ConvSpec projection = plain;
    projection.stride = block.stride;
    shortcut = net.conv(ready, projection);
  }
  NodeId y = net.conv(ready, {.filters = block.bottleneck, .stride = block.stride});
  y = net.conv(y, {.filters = block.bottleneck, .kernel = 3});
  return net.add(shortcut, net.conv(y, plain));
}

}  // namespace

void resnet(Builder& net, const ResnetDepth& depth, ResnetVersion version) {
  const bool v2 = version == ResnetVersion::V2;
  net.set_defaults({.batch_norm = BatchNorm{.decay = 0.9, .epsilon = 1e-5, .scale = true}});
  NodeId x = net.conv(net.image(),
                      {.filters = 64, .kernel = 7, .stride = 2, .padding = Padding::SameResnet});
  x = net.max_pool(x, {.window = 3, .stride = 2, .padding = Padding::Same});
  for (int stage = 0; stage < 4; ++stage) {
    for (int i = 0; i < depth.blocks[stage]; ++i) {
      const int stride = stage > 0 && i == 0 ? 2 : 1;
      const Block block = {64 << stage, 256 << stage, stride};
      x = v2 ? block_v2(net, x, block) : block_v1(net, x, block, version);
    }
  }
  if (v2) x = net.relu(net.batch_norm(x));
  net.classify(net.global_average_pool(x));
}

}  // namespace lockstep
