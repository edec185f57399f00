// mobilenet.cpp: MobileNet v2, width 1 (Sandler et al. 2018).
//
// It has two classifiers, one behind the other, as in the established benchmark: the paper's own
// 1x1 convolution to the classes, and the fully connected layer that every network here ends
// with. With 1001 classes that makes 4,509,155 parameters; the paper's network alone has 3,506,153.
#include "nn/models/networks.h"

namespace lockstep {
namespace {

struct Stage {
  int expansion, filters, blocks, stride;
};
constexpr Stage kStages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                             {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};

NodeId inverted_residual(Builder& net, NodeId input, const Stage& stage, int stride) {
  NodeId x = input;
  const int inner = stage.expansion * static_cast<int>(net.channels(input));
  if (stage.expansion > 1) x = net.conv(x, {.filters = inner});
  x = net.depthwise(x, {.kernel = 3, .stride = stride});
  x = net.conv(x, {.filters = stage.filters, .activation = Activation::None});
  const bool residual = stride == 1 && net.channels(input) == stage.filters;
  return residual ? net.add(input, x) : x;
}

}  // namespace

void mobilenet(Builder& net) {
  net.set_defaults({.batch_norm = BatchNorm{.decay = 0.997, .epsilon = 1e-3, .scale = true},
                    .activation = Activation::Relu6,
                    .stddev = 0.09});
  NodeId x = net.conv(net.image(), {.filters = 32, .kernel = 3, .stride = 2});
  for (const Stage& stage : kStages) {
    for (int i = 0; i < stage.blocks; ++i) {
      x = inverted_residual(net, x, stage, i == 0 ? stage.stride : 1);
    }
  }
  x = net.conv(x, {.filters = 1280});
  x = net.average_pool(x, {.window = net.extent(x), .stride = 1});
  x = net.dropout(x, {.keep = 0.8});
  x = net.conv(
      x,
      {.filters = net.options().num_classes, .batch_norm = false, .activation = Activation::None});
  net.classify(x);
}

}  // namespace lockstep
