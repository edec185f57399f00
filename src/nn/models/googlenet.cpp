// googlenet.cpp: Inception v1 (Szegedy et al. 2014), without response normalisation, auxiliary
// heads and dropout.
#include "nn/models/networks.h"

namespace lockstep {
namespace {

constexpr Pool kHalve = {.window = 3, .stride = 2, .padding = Padding::Same};

// Filters of each convolution: before a 3x3 or 5x5 stands a 1x1 that narrows its input.
struct Widths {
  int conv1, narrow3, conv3, narrow5, conv5, after_pool;
};

NodeId module(Builder& net, NodeId x, const Widths& width) {
  const NodeId a = net.conv(x, {.filters = width.conv1});
  const NodeId b =
      net.convs(x, {{.filters = width.narrow3}, {.filters = width.conv3, .kernel = 3}});
  const NodeId c =
      net.convs(x, {{.filters = width.narrow5}, {.filters = width.conv5, .kernel = 5}});
  const NodeId pool = net.max_pool(x, {.window = 3, .stride = 1, .padding = Padding::Same});
  const NodeId d = net.conv(pool, {.filters = width.after_pool});
  return net.concat({a, b, c, d});
}

}  // namespace

void googlenet(Builder& net) {
  NodeId x = net.conv(net.image(), {.filters = 64, .kernel = 7, .stride = 2});
  x = net.max_pool(x, kHalve);
  x = net.convs(x, {{.filters = 64}, {.filters = 192, .kernel = 3}});
  x = net.max_pool(x, kHalve);
  x = module(net, x, {64, 96, 128, 16, 32, 32});
  x = module(net, x, {128, 128, 192, 32, 96, 64});
  x = net.max_pool(x, kHalve);
  x = module(net, x, {192, 96, 208, 16, 48, 64});
  x = module(net, x, {160, 112, 224, 24, 64, 64});
  x = module(net, x, {128, 128, 256, 24, 64, 64});
  x = module(net, x, {112, 144, 288, 32, 64, 64});
  x = module(net, x, {256, 160, 320, 32, 128, 128});
  x = net.max_pool(x, kHalve);
  x = module(net, x, {256, 160, 320, 32, 128, 128});
  x = module(net, x, {384, 192, 384, 48, 128, 128});
  net.classify(net.average_pool(x, {.window = 7, .stride = 1}));
}

}  // namespace lockstep
