// alexnet.cpp: AlexNet for one device (Krizhevsky 2014): no groups, no response normalisation;
// its fourth convolution has 384 filters. And the small network of the CIFAR-10 tutorial, which
// keeps the response normalisation.
#include "nn/models/networks.h"

namespace lockstep {

void alexnet(Builder& net) {
  NodeId x =
      net.conv(net.image(), {.filters = 64, .kernel = 11, .stride = 4, .padding = Padding::Valid});
  x = net.max_pool(x, {.window = 3, .stride = 2});
  x = net.conv(x, {.filters = 192, .kernel = 5});
  x = net.max_pool(x, {.window = 3, .stride = 2});
  x = net.conv(x, {.filters = 384, .kernel = 3});
  x = net.conv(x, {.filters = 384, .kernel = 3});
  x = net.conv(x, {.filters = 256, .kernel = 3});
  x = net.max_pool(x, {.window = 3, .stride = 2});
  x = net.dropout(net.dense(x, {.units = 4096}));
  x = net.dropout(net.dense(x, {.units = 4096}));
  net.classify(x);
}

void alexnet_cifar(Builder& net) {
  const Lrn lrn = {.radius = 4, .bias = 1, .alpha = 0.001 / 9, .beta = 0.75};
  const Pool pool = {.window = 3, .stride = 2, .padding = Padding::Same};
  net.set_defaults({.stddev = 0.05});
  NodeId x = net.conv(net.image(), {.filters = 64, .kernel = 5});
  x = net.lrn(net.max_pool(x, pool), lrn);
  x = net.conv(x, {.filters = 64, .kernel = 5, .initial_bias = 0.1});
  x = net.max_pool(net.lrn(x, lrn), pool);
  x = net.dense(x, {.units = 384, .stddev = 0.04, .initial_bias = 0.1});
  x = net.dense(x, {.units = 192, .stddev = 0.04, .initial_bias = 0.1});
  net.classify(x);
}

}  // namespace lockstep
