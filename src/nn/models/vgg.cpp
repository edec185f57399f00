// vgg.cpp: VGG, configurations A, D and E (Simonyan and Zisserman 2014).
#include <algorithm>

#include "nn/models/networks.h"

namespace lockstep {
namespace {

void vgg(Builder& net, std::initializer_list<int> convs_per_stage) {
  NodeId x = net.image();
  for (int filters = 64; const int convs : convs_per_stage) {
    for (int i = 0; i < convs; ++i) x = net.conv(x, {.filters = filters, .kernel = 3});
    x = net.max_pool(x, {.window = 2, .stride = 2});
    filters = std::min(2 * filters, 512);
  }
  x = net.dropout(net.dense(x, {.units = 4096}));
  x = net.dropout(net.dense(x, {.units = 4096}));
  net.classify(x);
}

}  // namespace

void vgg11(Builder& net) { vgg(net, {1, 1, 2, 2, 2}); }
void vgg16(Builder& net) { vgg(net, {2, 2, 3, 3, 3}); }
void vgg19(Builder& net) { vgg(net, {2, 2, 4, 4, 4}); }

}  // namespace lockstep
