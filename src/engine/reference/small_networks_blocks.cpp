// The blocks that networks are made of: the patterns that an engine fuses, writes in slices or
// updates in place, each also in the variant where a value has a second reader and it must not.
#include "engine/reference/small_networks.h"

namespace lockstep {
namespace {

// Adds layers with names that number themselves.
struct Net {
  Graph graph;
  int count = 0;

  explicit Net(Shape image) : graph(std::move(image)) {}
  NodeId add(std::string_view word, const Layer& layer, std::vector<NodeId> inputs) {
    return graph.add(std::string(word) + std::to_string(count++), layer, std::move(inputs));
  }
  NodeId image() const { return graph.image(); }
  NodeId conv(NodeId x, Conv spec) { return add("conv", spec, {x}); }
  NodeId conv(NodeId x, int filters, Extent kernel = 3, int stride = 1) {
    return add("conv", Conv{.filters = filters, .kernel = kernel, .stride = stride, .bias = false},
               {x});
  }
  NodeId norm(NodeId x, bool scale = true) {
    return add("batchnorm", BatchNorm{.decay = 0.6, .scale = scale}, {x});
  }
  NodeId relu(NodeId x) { return add("relu", Relu{}, {x}); }
  NodeId relu6(NodeId x) { return add("relu", Relu{.ceiling = 6}, {x}); }
  NodeId conv_norm_relu(NodeId x, int filters, Extent kernel = 3, int stride = 1) {
    return relu(norm(conv(x, filters, kernel, stride), false));
  }
  NodeId sum(NodeId a, NodeId b) { return add("add", Add{}, {a, b}); }
  NodeId concat(std::vector<NodeId> inputs) { return add("concat", Concat{}, std::move(inputs)); }
  NodeId pool(NodeId x, Pool spec) { return add("pool", spec, {x}); }
  NodeId dense(NodeId x, int units) { return add("dense", Dense{.units = units}, {x}); }
  NodeId mean(NodeId x) { return add("mean", GlobalAveragePool{}, {x}); }
};

constexpr Pool kAverageSame = {
    .kind = Pool::Average, .window = 3, .stride = 1, .padding = Padding::Same};
constexpr Pool kMaxSame = {.window = 3, .stride = 1, .padding = Padding::Same};

// Each returns the node that the head stands on.
NodeId conv_relu(Net& b) { return b.relu(b.conv(b.image(), {.filters = 12, .kernel = 3})); }
NodeId conv_relu6_conv(Net& b) {
  const NodeId x = b.relu6(b.conv(b.image(), {.filters = 16, .kernel = 3}));
  return b.conv(x, {.filters = 5, .kernel = 3});
}
NodeId conv_norm_relu_twice(Net& b) {
  return b.conv_norm_relu(b.conv_norm_relu(b.image(), 12), 17, 3, 2);
}
NodeId conv_with_two_readers(Net& b) {
  const NodeId x = b.conv(b.image(), {.filters = 8, .kernel = 3});
  return b.sum(b.relu(x), b.conv(x, {.filters = 8, .kernel = 1}));
}
NodeId norm_with_two_readers(Net& b) {
  const NodeId x = b.norm(b.conv(b.image(), 12));
  return b.sum(b.relu(x), b.conv(x, 12, 1));
}
NodeId relu_with_three_readers(Net& b) {
  const NodeId x = b.conv_norm_relu(b.image(), 8);
  const NodeId y = b.sum(x, b.conv(x, 8));
  return b.sum(y, b.pool(x, kMaxSame));
}
NodeId residual_block(Net& b) {
  const NodeId x = b.conv_norm_relu(b.image(), 16);
  const NodeId y = b.norm(b.conv(b.conv_norm_relu(x, 16), 16));
  return b.relu(b.sum(x, y));
}
NodeId residual_block_other_way_round(Net& b) {
  const NodeId x = b.conv_norm_relu(b.image(), 5);
  const NodeId y = b.norm(b.conv(b.conv_norm_relu(x, 12), 5));
  return b.relu(b.sum(y, x));
}
NodeId residual_chain(Net& b) {
  NodeId x = b.conv_norm_relu(b.image(), 8);
  for (int i = 0; i < 3; ++i) {
    x = b.relu(b.sum(x, b.norm(b.conv(b.conv_norm_relu(x, 8), 8))));
  }
  return b.mean(x);
}
NodeId bottleneck_with_projection(Net& b) {
  const NodeId x = b.relu(b.norm(b.conv(b.image(), 12)));
  const NodeId shortcut = b.norm(b.conv(x, 24, 1, 2));
  const NodeId y = b.conv_norm_relu(b.conv_norm_relu(x, 6, 1), 6, 3, 2);
  return b.relu(b.sum(shortcut, b.norm(b.conv(y, 24, 1))));
}
NodeId preactivation_block(Net& b) {  // ResNet v2: the identity is read by BN and by Add
  NodeId x = b.conv(b.image(), 12);
  for (int i = 0; i < 2; ++i) {
    const NodeId y = b.conv(b.relu(b.norm(x)), 8);
    x = b.sum(x, b.conv(b.relu(b.norm(y)), 12));
  }
  return b.mean(b.relu(b.norm(x)));
}
NodeId preactivation_with_projection(Net& b) {
  const NodeId x = b.conv(b.image(), {.filters = 8, .kernel = 3});
  const NodeId active = b.relu(b.norm(x));
  const NodeId shortcut = b.conv(active, {.filters = 16, .kernel = 1, .stride = 2});
  const NodeId y = b.conv(active, {.filters = 16, .kernel = 3, .stride = 2});
  return b.relu(b.norm(b.sum(shortcut, y)));
}
NodeId add_to_itself(Net& b) {
  const NodeId x = b.conv(b.image(), 5);
  return b.sum(x, x);
}
// x + (x + (x + f(x))): one gradient reaches x several times.
NodeId nested_identities(Net& b) {
  const NodeId x = b.conv(b.image(), 16);
  return b.sum(x, b.sum(x, b.sum(x, b.conv(x, 16))));
}
NodeId nested_identities_of_relu(Net& b) {
  const NodeId x = b.conv_norm_relu(b.image(), 12);
  return b.mean(b.sum(b.sum(b.conv(x, 12), x), b.sum(x, x)));
}
NodeId slice_beside_two_identities(Net& b) {
  const NodeId x = b.conv(b.image(), 16);
  const NodeId sum = b.sum(x, b.sum(x, b.conv(x, 16, 1)));
  return b.concat({x, sum});
}
NodeId concat_of_one_value_twice(Net& b) {
  const NodeId x = b.conv_norm_relu(b.image(), 16);
  return b.concat({x, b.conv(x, 8), x});
}
// The sum of a norm is a shortcut, too, and its gradient arrives twice.
NodeId norm_beside_nested_identities(Net& b) {
  const NodeId x = b.conv(b.image(), 8);
  const NodeId y = b.sum(x, b.norm(b.conv(x, 8)));
  return b.norm(b.sum(y, b.sum(y, b.conv(y, 8))));
}
NodeId padded_shortcut(Net& b) {  // as the CIFAR-10 residual networks
  const NodeId x = b.conv_norm_relu(b.image(), 8);
  const NodeId half = b.pool(x, {.kind = Pool::Average, .window = 2, .stride = 2});
  const NodeId shortcut = b.add("pad", PadChannels{.before = 4, .after = 4}, {half});
  return b.relu(b.sum(shortcut, b.norm(b.conv(b.conv_norm_relu(x, 16, 3, 2), 16))));
}
NodeId inverted_bottleneck(Net& b) {  // MobileNet v2
  const NodeId x = b.norm(b.conv(b.image(), 8));
  const NodeId wide = b.relu6(b.norm(b.conv(x, 24, 1)));
  const NodeId deep =
      b.relu6(b.norm(b.conv(wide, {.kernel = 3, .bias = false, .depthwise = true})));
  return b.sum(x, b.norm(b.conv(deep, 8, 1)));
}
NodeId concat_of_two(Net& b) { return b.concat({b.conv(b.image(), 3), b.conv(b.image(), 5)}); }
NodeId concat_of_aligned(Net& b) {
  const NodeId x = b.conv_norm_relu(b.image(), 8);
  return b.conv(b.concat({b.conv_norm_relu(x, 8), b.conv_norm_relu(x, 16, 1)}), 12, 1);
}
NodeId concat_of_three(Net& b) {
  const NodeId x = b.conv_norm_relu(b.image(), 12);
  const NodeId joined = b.concat(
      {b.conv_norm_relu(x, 5, 1), b.pool(x, kMaxSame), b.conv(x, {.filters = 17, .kernel = 3})});
  return b.conv(joined, 8);
}
NodeId concat_of_four(Net& b) {  // an Inception module
  const NodeId x = b.relu(b.conv(b.image(), {.filters = 8, .kernel = 3}));
  const NodeId one = b.conv_norm_relu(x, 8, 1);
  const NodeId two = b.conv_norm_relu(b.conv_norm_relu(x, 4, {1, 7}), 12, {7, 1});
  const NodeId three = b.conv_norm_relu(b.pool(x, kAverageSame), 3, 1);
  const NodeId four = b.relu(b.conv(x, {.filters = 16, .kernel = 5}));
  return b.mean(b.concat({one, two, three, four}));
}
NodeId concat_with_reduction(Net& b) {  // strided branches beside a pool
  const NodeId x = b.conv_norm_relu(b.image(), 16);
  return b.concat({b.conv_norm_relu(x, 8, 3, 2),
                   b.pool(x, {.window = 3, .stride = 2, .padding = Padding::Same})});
}
NodeId concat_input_used_elsewhere(Net& b) {
  const NodeId x = b.conv_norm_relu(b.image(), 8);
  const NodeId y = b.conv_norm_relu(x, 8);
  const NodeId joined = b.conv(b.concat({x, y}), 8, 1);
  return b.sum(joined, y);
}
NodeId concat_of_concat(Net& b) {
  const NodeId x = b.conv_norm_relu(b.image(), 8);
  const NodeId pair = b.concat({b.conv(x, 4), b.conv(x, 4)});
  return b.concat({b.relu(b.conv(x, 5)), pair, b.conv(pair, 3, 1)});
}
NodeId dense_block(Net& b) {  // DenseNet: every layer reads all that came before
  NodeId x = b.conv(b.image(), 16);
  for (int i = 0; i < 3; ++i) x = b.concat({x, b.conv(b.relu(b.norm(x)), 12)});
  return b.mean(b.relu(b.norm(x)));
}
NodeId relu_after_concat(Net& b) {
  const NodeId x = b.conv(b.image(), 8);
  return b.relu(b.norm(b.concat({x, b.conv(x, 5)})));
}
NodeId response_norm_before_pool(Net& b) {
  const NodeId x = b.relu(b.conv(b.image(), {.filters = 16, .kernel = 5}));
  const NodeId y = b.add("lrn", Lrn{.alpha = 0.02, .beta = 0.75}, {x});
  return b.conv(b.pool(y, {.window = 3, .stride = 2}), 8);
}
NodeId response_norm_after_pool(Net& b) {
  const NodeId x = b.relu(b.conv(b.image(), {.filters = 12, .kernel = 5}));
  const NodeId y = b.pool(x, {.window = 3, .stride = 2, .padding = Padding::Same});
  return b.relu(b.conv(b.add("lrn", Lrn{.alpha = 0.02}, {y}), {.filters = 8, .kernel = 3}));
}
NodeId dense_chain(Net& b) {
  const NodeId x = b.relu(b.conv(b.image(), {.filters = 12, .kernel = 3}));
  return b.relu(b.dense(b.relu(b.dense(x, 33)), 17));
}
NodeId dense_with_dropout(Net& b) {
  const NodeId x = b.pool(b.relu(b.conv(b.image(), {.filters = 12, .kernel = 3})), {});
  const NodeId y = b.add("dropout", Dropout{.keep = 0.6}, {b.relu(b.dense(x, 40))});
  return b.add("dropout", Dropout{.keep = 0.8}, {b.relu(b.dense(y, 17))});
}
NodeId auxiliary_head(Net& b) {
  const NodeId x = b.conv_norm_relu(b.image(), 12);
  const NodeId logits = b.dense(b.pool(x, {.kind = Pool::Average, .window = 3, .stride = 3}), 7);
  b.add("loss", SoftmaxLoss{.weight = 0.4}, {logits});
  return b.mean(b.conv_norm_relu(x, 16, 3, 2));
}

struct Block {
  const char* name;
  NodeId (*build)(Net&);
};

constexpr Block kBlocks[] = {
    {"ConvRelu", conv_relu},
    {"ConvRelu6Conv", conv_relu6_conv},
    {"ConvNormReluTwice", conv_norm_relu_twice},
    {"ConvWithTwoReaders", conv_with_two_readers},
    {"NormWithTwoReaders", norm_with_two_readers},
    {"ReluWithThreeReaders", relu_with_three_readers},
    {"ResidualBlock", residual_block},
    {"ResidualBlockOtherWayRound", residual_block_other_way_round},
    {"ResidualChain", residual_chain},
    {"BottleneckWithProjection", bottleneck_with_projection},
    {"PreactivationBlock", preactivation_block},
    {"PreactivationWithProjection", preactivation_with_projection},
    {"AddToItself", add_to_itself},
    {"NestedIdentities", nested_identities},
    {"NestedIdentitiesOfRelu", nested_identities_of_relu},
    {"SliceBesideTwoIdentities", slice_beside_two_identities},
    {"ConcatOfOneValueTwice", concat_of_one_value_twice},
    {"NormBesideNestedIdentities", norm_beside_nested_identities},
    {"PaddedShortcut", padded_shortcut},
    {"InvertedBottleneck", inverted_bottleneck},
    {"ConcatOfTwo", concat_of_two},
    {"ConcatOfAligned", concat_of_aligned},
    {"ConcatOfThree", concat_of_three},
    {"ConcatOfFour", concat_of_four},
    {"ConcatWithReduction", concat_with_reduction},
    {"ConcatInputUsedElsewhere", concat_input_used_elsewhere},
    {"ConcatOfConcat", concat_of_concat},
    {"DenseBlock", dense_block},
    {"ReluAfterConcat", relu_after_concat},
    {"ResponseNormBeforePool", response_norm_before_pool},
    {"ResponseNormAfterPool", response_norm_after_pool},
    {"DenseChain", dense_chain},
    {"DenseWithDropout", dense_with_dropout},
    {"AuxiliaryHead", auxiliary_head},
};

}  // namespace

std::vector<SmallNetwork> block_networks() {
  std::vector<SmallNetwork> networks;
  for (const Block& block : kBlocks) {
    Net net({3, 8, 8});
    add_head(net.graph, block.build(net));
    networks.push_back({block.name, net.graph, 3 + static_cast<int>(networks.size()) % 3});
  }
  return networks;
}

}  // namespace lockstep
