// inception3.cpp: Inception v3 (Szegedy et al. 2015). No dropout; the auxiliary head is optional.
#include "nn/models/networks.h"

namespace lockstep {
namespace {

constexpr Padding kValid = Padding::Valid;
constexpr Pool kSmooth = {.window = 3, .stride = 1, .padding = Padding::Same};
constexpr Pool kHalve = {.window = 3, .stride = 2};

NodeId module_a(Builder& net, NodeId x, int pool_filters) {
  const NodeId a = net.conv(x, {.filters = 64});
  const NodeId b = net.convs(x, {{.filters = 48}, {.filters = 64, .kernel = 5}});
  const NodeId c =
      net.convs(x, {{.filters = 64}, {.filters = 96, .kernel = 3}, {.filters = 96, .kernel = 3}});
  const NodeId d = net.conv(net.average_pool(x, kSmooth), {.filters = pool_filters});
  return net.concat({a, b, c, d});
}

NodeId module_b(Builder& net, NodeId x) {
  const NodeId a = net.conv(x, {.filters = 384, .kernel = 3, .stride = 2, .padding = kValid});
  const NodeId b = net.convs(x, {{.filters = 64},
                                 {.filters = 96, .kernel = 3},
                                 {.filters = 96, .kernel = 3, .stride = 2, .padding = kValid}});
  return net.concat({a, b, net.max_pool(x, kHalve)});
}

NodeId module_c(Builder& net, NodeId x, int inner) {
  const NodeId a = net.conv(x, {.filters = 192});
  const NodeId b = net.convs(x, {{.filters = inner},
                                 {.filters = inner, .kernel = {1, 7}},
                                 {.filters = 192, .kernel = {7, 1}}});
  const NodeId c = net.convs(x, {{.filters = inner},
                                 {.filters = inner, .kernel = {7, 1}},
                                 {.filters = inner, .kernel = {1, 7}},
                                 {.filters = inner, .kernel = {7, 1}},
                                 {.filters = 192, .kernel = {1, 7}}});
  const NodeId d = net.conv(net.average_pool(x, kSmooth), {.filters = 192});
  return net.concat({a, b, c, d});
}

NodeId module_d(Builder& net, NodeId x) {
  const NodeId a = net.convs(
      x, {{.filters = 192}, {.filters = 320, .kernel = 3, .stride = 2, .padding = kValid}});
  const NodeId b = net.convs(x, {{.filters = 192},
                                 {.filters = 192, .kernel = {1, 7}},
                                 {.filters = 192, .kernel = {7, 1}},
                                 {.filters = 192, .kernel = 3, .stride = 2, .padding = kValid}});
  return net.concat({a, b, net.max_pool(x, kHalve)});
}

NodeId module_e(Builder& net, NodeId x, Pool::Kind pool) {
  const NodeId a = net.conv(x, {.filters = 320});
  const NodeId b = net.conv(x, {.filters = 384});
  const NodeId b1 = net.conv(b, {.filters = 384, .kernel = {1, 3}});
  const NodeId b2 = net.conv(b, {.filters = 384, .kernel = {3, 1}});
  const NodeId c = net.convs(x, {{.filters = 448}, {.filters = 384, .kernel = 3}});
  const NodeId c1 = net.conv(c, {.filters = 384, .kernel = {1, 3}});
  const NodeId c2 = net.conv(c, {.filters = 384, .kernel = {3, 1}});
  const NodeId pooled = pool == Pool::Max ? net.max_pool(x, kSmooth) : net.average_pool(x, kSmooth);
  return net.concat({a, b1, b2, c1, c2, net.conv(pooled, {.filters = 192})});
}

NodeId stem(Builder& net) {
  NodeId x = net.convs(net.image(), {{.filters = 32, .kernel = 3, .stride = 2, .padding = kValid},
                                     {.filters = 32, .kernel = 3, .padding = kValid},
                                     {.filters = 64, .kernel = 3}});
  x = net.max_pool(x, kHalve);
  x = net.convs(
      x, {{.filters = 80, .padding = kValid}, {.filters = 192, .kernel = 3, .padding = kValid}});
  return net.max_pool(x, kHalve);
}

NodeId auxiliary_features(Builder& net, NodeId x) {
  x = net.average_pool(x, {.window = 5, .stride = 3});
  return net.convs(
      x, {{.filters = 128}, {.filters = 768, .kernel = 5, .padding = kValid, .stddev = 0.01}});
}

}  // namespace

void inception3(Builder& net) {
  net.set_defaults({.batch_norm = BatchNorm{}});
  NodeId x = stem(net);
  for (const int pool_filters : {32, 64, 64}) x = module_a(net, x, pool_filters);
  x = module_b(net, x);
  for (const int inner : {128, 160, 160, 192}) x = module_c(net, x, inner);
  const NodeId auxiliary = net.options().aux_head ? auxiliary_features(net, x) : net.image();
  x = module_d(net, x);
  x = module_e(net, x, Pool::Average);
  x = module_e(net, x, Pool::Max);
  net.classify(net.average_pool(x, {.window = 8, .stride = 1}));
  if (net.options().aux_head) net.classify(auxiliary, {.weight = 0.4, .stddev = 0.001});
}

}  // namespace lockstep
