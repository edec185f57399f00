// overfeat.cpp: OverFeat, the fast model (Sermanet et al. 2014).
#include "nn/models/networks.h"

namespace lockstep {

void overfeat(Builder& net) {
  const Pool halve = {.window = 2, .stride = 2};
  NodeId x =
      net.conv(net.image(), {.filters = 96, .kernel = 11, .stride = 4, .padding = Padding::Valid});
  x = net.max_pool(x, halve);
  x = net.conv(x, {.filters = 256, .kernel = 5, .padding = Padding::Valid});
  x = net.max_pool(x, halve);
  x = net.conv(x, {.filters = 512, .kernel = 3});
  x = net.conv(x, {.filters = 1024, .kernel = 3});
  x = net.conv(x, {.filters = 1024, .kernel = 3});
  x = net.max_pool(x, halve);
  x = net.dropout(net.dense(x, {.units = 3072}));
  x = net.dropout(net.dense(x, {.units = 4096}));
  net.classify(x);
}

}  // namespace lockstep
