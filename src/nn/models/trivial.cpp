// trivial.cpp: next to no arithmetic: what is left is the input pipeline and the step's overhead.
#include "nn/models/networks.h"

namespace lockstep {

void trivial(Builder& net) {
  NodeId x = net.dense(net.image(), {.units = 1});
  x = net.dense(x, {.units = 4096});
  net.classify(x);
}

}  // namespace lockstep
