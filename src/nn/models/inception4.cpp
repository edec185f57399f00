// inception4.cpp: Inception v4 (Szegedy et al. 2016).
#include "nn/models/networks.h"

namespace lockstep {
namespace {

constexpr Padding kValid = Padding::Valid;
constexpr Pool kSmooth = {.window = 3, .stride = 1, .padding = Padding::Same};
constexpr Pool kHalve = {.window = 3, .stride = 2};

NodeId stem(Builder& net) {
  NodeId x = net.convs(net.image(), {{.filters = 32, .kernel = 3, .stride = 2, .padding = kValid},
                                     {.filters = 32, .kernel = 3, .padding = kValid},
                                     {.filters = 64, .kernel = 3}});
  const NodeId pool = net.max_pool(x, kHalve);
  x = net.concat({pool, net.conv(x, {.filters = 96, .kernel = 3, .stride = 2, .padding = kValid})});
  const NodeId a = net.convs(x, {{.filters = 64}, {.filters = 96, .kernel = 3, .padding = kValid}});
  const NodeId b = net.convs(x, {{.filters = 64},
                                 {.filters = 64, .kernel = {7, 1}},
                                 {.filters = 64, .kernel = {1, 7}},
                                 {.filters = 96, .kernel = 3, .padding = kValid}});
  x = net.concat({a, b});
  const NodeId c = net.conv(x, {.filters = 192, .kernel = 3, .stride = 2, .padding = kValid});
  return net.concat({c, net.max_pool(x, kHalve)});
}

NodeId module_a(Builder& net, NodeId x) {
  const NodeId a = net.conv(net.average_pool(x, kSmooth), {.filters = 96});
  const NodeId b = net.conv(x, {.filters = 96});
  const NodeId c = net.convs(x, {{.filters = 64}, {.filters = 96, .kernel = 3}});
  const NodeId d =
      net.convs(x, {{.filters = 64}, {.filters = 96, .kernel = 3}, {.filters = 96, .kernel = 3}});
  return net.concat({a, b, c, d});
}

NodeId reduction_a(Builder& net, NodeId x) {
  const NodeId a = net.max_pool(x, kHalve);
  const NodeId b = net.conv(x, {.filters = 384, .kernel = 3, .stride = 2, .padding = kValid});
  const NodeId c = net.convs(x, {{.filters = 192},
                                 {.filters = 224, .kernel = 3},
                                 {.filters = 256, .kernel = 3, .stride = 2, .padding = kValid}});
  return net.concat({a, b, c});
}

NodeId module_b(Builder& net, NodeId x) {
  const NodeId a = net.conv(net.average_pool(x, kSmooth), {.filters = 128});
  const NodeId b = net.conv(x, {.filters = 384});
  const NodeId c = net.convs(
      x,
      {{.filters = 192}, {.filters = 224, .kernel = {1, 7}}, {.filters = 256, .kernel = {7, 1}}});
  const NodeId d = net.convs(x, {{.filters = 192},
                                 {.filters = 192, .kernel = {1, 7}},
                                 {.filters = 224, .kernel = {7, 1}},
                                 {.filters = 224, .kernel = {1, 7}},
                                 {.filters = 256, .kernel = {7, 1}}});
  return net.concat({a, b, c, d});
}

NodeId reduction_b(Builder& net, NodeId x) {
  const NodeId a = net.max_pool(x, kHalve);
  const NodeId b = net.convs(
      x, {{.filters = 192}, {.filters = 192, .kernel = 3, .stride = 2, .padding = kValid}});
  const NodeId c = net.convs(x, {{.filters = 256},
                                 {.filters = 256, .kernel = {1, 7}},
                                 {.filters = 320, .kernel = {7, 1}},
                                 {.filters = 320, .kernel = 3, .stride = 2, .padding = kValid}});
  return net.concat({a, b, c});
}

NodeId module_c(Builder& net, NodeId x) {
  const NodeId a = net.conv(net.average_pool(x, kSmooth), {.filters = 256});
  const NodeId b = net.conv(x, {.filters = 256});
  const NodeId c = net.conv(x, {.filters = 384});
  const NodeId c1 = net.conv(c, {.filters = 256, .kernel = {1, 3}});
  const NodeId c2 = net.conv(c, {.filters = 256, .kernel = {3, 1}});
  const NodeId d = net.convs(
      x,
      {{.filters = 384}, {.filters = 448, .kernel = {1, 3}}, {.filters = 512, .kernel = {3, 1}}});
  const NodeId d1 = net.conv(d, {.filters = 256, .kernel = {3, 1}});
  const NodeId d2 = net.conv(d, {.filters = 256, .kernel = {1, 3}});
  return net.concat({a, b, c1, c2, d1, d2});
}

}  // namespace

void inception4(Builder& net) {
  net.set_defaults({.batch_norm = BatchNorm{}});
  NodeId x = stem(net);
  for (int i = 0; i < 4; ++i) x = module_a(net, x);
  x = reduction_a(net, x);
  for (int i = 0; i < 7; ++i) x = module_b(net, x);
  x = reduction_b(net, x);
  for (int i = 0; i < 3; ++i) x = module_c(net, x);
  x = net.dropout(net.global_average_pool(x), {.keep = 0.8});
  net.classify(x);
}

}  // namespace lockstep
