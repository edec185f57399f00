// networks.h: the networks of the zoo, one function each: what zoo.cpp puts in its table.
//
// Each writes its layers into the builder and ends by classifying. The image is the builder's, so
// a network that fits several data sets is one function.
#pragma once

#include "nn/builder.h"

namespace lockstep {

void trivial(Builder& net);
void lenet(Builder& net);
void mnist(Builder& net);
void alexnet(Builder& net);
void alexnet_cifar(Builder& net);
void overfeat(Builder& net);
void vgg11(Builder& net);
void vgg16(Builder& net);
void vgg19(Builder& net);
void googlenet(Builder& net);
void inception3(Builder& net);
void inception4(Builder& net);
void mobilenet(Builder& net);

enum class ResnetVersion {
  V1,    // a block that shrinks the image does so in its first 1x1 convolution
  V1_5,  // ... in its 3x3 convolution
  V2,    // normalise and activate before convolving
};

struct ResnetDepth {
  int blocks[4];  // per stage
};
inline constexpr ResnetDepth kResnet50 = {{3, 4, 6, 3}};
inline constexpr ResnetDepth kResnet101 = {{3, 4, 23, 3}};
inline constexpr ResnetDepth kResnet152 = {{3, 8, 36, 3}};

void resnet(Builder& net, const ResnetDepth& depth, ResnetVersion version);
// 6 * blocks_per_stage + 2 layers; V1 or V2.
void resnet_cifar(Builder& net, int blocks_per_stage, ResnetVersion version);
// 3 * layers_per_block + 4 layers.
void densenet_cifar(Builder& net, int layers_per_block, int growth);

// The table needs plain functions: these fix the arguments.
template <const ResnetDepth& depth, ResnetVersion version>
void resnet_of(Builder& net) {
  resnet(net, depth, version);
}
template <int layers, ResnetVersion version>
void resnet_cifar_of(Builder& net) {
  static_assert((layers - 2) % 6 == 0);
  resnet_cifar(net, (layers - 2) / 6, version);
}
template <int layers, int growth>
void densenet_of(Builder& net) {
  static_assert((layers - 4) % 3 == 0);
  densenet_cifar(net, (layers - 4) / 3, growth);
}

}  // namespace lockstep
