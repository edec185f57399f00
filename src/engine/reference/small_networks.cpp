// Single layers over awkward shapes: odd sizes, channel counts beside every vector width, pads that
// differ on two sides. Blocks are in small_networks_blocks.cpp.
#include "engine/reference/small_networks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace lockstep {
namespace {

std::string_view word_for(Padding padding) {
  constexpr std::string_view kWords[] = {"Same", "Valid", "SameResnet"};
  return kWords[static_cast<int>(padding)];
}

std::string window_text(Extent window, int stride, Padding padding) {
  return fmt::format("{}x{}Stride{}{}", window.height, window.width, stride, word_for(padding));
}

std::string name_for(const Conv& conv, const Shape& input) {
  return fmt::format("{}{}From{}To{}", conv.depthwise ? "Depthwise" : "Conv",
                     window_text(conv.kernel, conv.stride, conv.padding), input.text(),
                     conv.depthwise ? "Same" : std::to_string(conv.filters));
}

std::string name_for(const Pool& pool, const Shape& input) {
  return fmt::format("{}{}Of{}", pool.kind == Pool::Max ? "MaxPool" : "AveragePool",
                     window_text(pool.window, pool.stride, pool.padding), input.text());
}

Graph behind_a_convolution(const Shape& input, const Layer& layer) {
  Graph graph({3, input.height(), input.width()});
  const NodeId front = graph.add(
      "front", Conv{.filters = static_cast<int>(input.channels()), .kernel = 1}, {graph.image()});
  add_head(graph, graph.add("middle", layer, {front}));
  return graph;
}

Graph on_the_image(const Shape& image, const Layer& layer) {
  Graph graph(image);
  add_head(graph, graph.add("first", layer, {graph.image()}));
  return graph;
}

struct ConvCase {
  Shape input;
  Conv conv;
};

const ConvCase kConvolutions[] = {
    {{5, 6, 7}, {.filters = 3, .kernel = 1}},
    {{16, 8, 8}, {.filters = 32, .kernel = 1, .bias = false}},
    {{17, 7, 5}, {.filters = 12, .kernel = 1, .stride = 2}},
    {{12, 9, 9}, {.filters = 17, .kernel = 1, .stride = 2, .padding = Padding::SameResnet}},
    {{8, 5, 9}, {.filters = 8, .kernel = {1, 7}}},
    {{12, 9, 5}, {.filters = 5, .kernel = {7, 1}, .bias = false}},
    {{1, 8, 8}, {.filters = 1, .kernel = 3}},
    {{3, 9, 7}, {.filters = 5, .kernel = 3, .padding = Padding::Valid}},
    {{17, 5, 6}, {.filters = 17, .kernel = 3}},
    {{16, 13, 13}, {.filters = 32, .kernel = 3, .bias = false}},
    {{32, 6, 6}, {.filters = 24, .kernel = 3}},
    {{24, 7, 7}, {.filters = 40, .kernel = 3, .bias = false}},
    {{16, 38, 38}, {.filters = 16, .kernel = 3, .padding = Padding::Valid}},  // very many tiles
    {{12, 10, 10}, {.filters = 17, .kernel = 3, .stride = 2}},
    {{8, 9, 9}, {.filters = 16, .kernel = 3, .stride = 2, .bias = false}},
    {{8, 8, 8}, {.filters = 16, .kernel = 3, .stride = 2, .padding = Padding::SameResnet}},
    {{5, 11, 8}, {.filters = 12, .kernel = 3, .stride = 3}},
    {{5, 11, 11}, {.filters = 3, .kernel = 3, .stride = 3, .padding = Padding::Valid}},
    {{3, 8, 9}, {.filters = 12, .kernel = 2}},
    {{5, 9, 8}, {.filters = 8, .kernel = 2, .stride = 2}},
    {{12, 9, 10}, {.filters = 5, .kernel = 4, .stride = 2}},
    {{8, 8, 8}, {.filters = 8, .kernel = 5}},
    {{17, 9, 7}, {.filters = 20, .kernel = 5}},
    {{16, 11, 12}, {.filters = 32, .kernel = 5, .padding = Padding::Valid, .bias = false}},
    {{5, 7, 9}, {.filters = 17, .kernel = 5, .stride = 2}},
    {{3, 12, 12}, {.filters = 12, .kernel = 7, .stride = 2, .padding = Padding::SameResnet}},
    {{3, 19, 23}, {.filters = 8, .kernel = 11, .stride = 4, .padding = Padding::Valid}},
    {{1, 8, 8}, {.kernel = 3, .bias = false, .depthwise = true}},
    {{5, 7, 7}, {.kernel = 3, .depthwise = true}},
    {{12, 8, 8}, {.kernel = 3, .stride = 2, .bias = false, .depthwise = true}},
    {{17, 9, 7}, {.kernel = 3, .stride = 2, .depthwise = true}},
    {{32, 7, 7}, {.kernel = 3, .bias = false, .depthwise = true}},
};

// The first layer of real networks: few input channels, and no gradient to hand on.
const ConvCase kFirstConvolutions[] = {
    {{3, 35, 35}, {.filters = 16, .kernel = 11, .stride = 4, .padding = Padding::Valid}},
    {{3, 15, 15}, {.filters = 12, .kernel = 7, .stride = 2, .padding = Padding::SameResnet}},
    {{1, 12, 12}, {.filters = 32, .kernel = 5}},
    {{3, 11, 9}, {.filters = 17, .kernel = 3, .stride = 2, .padding = Padding::Valid}},
    {{3, 8, 8}, {.filters = 16, .kernel = 3}},
};

struct PoolCase {
  Shape input;
  Pool pool;
};

const PoolCase kPools[] = {
    {{5, 8, 8}, {}},
    {{12, 9, 7}, {.window = 3, .stride = 2}},
    {{16, 9, 9}, {.window = 3, .stride = 2}},
    {{17, 8, 9}, {.window = 3, .stride = 2, .padding = Padding::Same}},
    {{3, 7, 7}, {.window = 3, .stride = 1, .padding = Padding::Same}},
    {{8, 6, 7}, {.window = 1, .stride = 2, .padding = Padding::Same}},
    {{12, 8, 8}, {.window = 3, .stride = 2, .padding = Padding::SameResnet}},
    {{5, 11, 10}, {.window = {2, 3}, .stride = 3}},
    {{5, 8, 8}, {.kind = Pool::Average}},
    {{12, 9, 7}, {.kind = Pool::Average, .window = 3, .stride = 2}},
    {{17, 8, 9}, {.kind = Pool::Average, .window = 3, .stride = 2, .padding = Padding::Same}},
    {{8, 7, 7}, {.kind = Pool::Average, .window = 3, .stride = 1, .padding = Padding::Same}},
    {{3, 6, 7}, {.kind = Pool::Average, .window = 1, .stride = 2, .padding = Padding::Same}},
    {{16, 9, 9}, {.kind = Pool::Average, .window = 5, .stride = 3}},
    {{1, 8, 8}, {.kind = Pool::Average, .window = 8, .stride = 1}},
};

struct OtherCase {
  std::string name;
  Shape input;
  Layer layer;
};

const OtherCase kOthers[] = {
    {"DenseOnImage", {5, 4, 3}, Dense{.units = 12}},
    {"DenseOnBlockedImage", {16, 4, 4}, Dense{.units = 33}},
    {"BatchNormOf1", {1, 5, 5}, BatchNorm{.scale = true}},
    {"BatchNormOf5", {5, 6, 7}, BatchNorm{}},
    {"BatchNormOf12WithScale", {12, 5, 5}, BatchNorm{.epsilon = 1e-5, .scale = true}},
    {"BatchNormOf17", {17, 4, 3}, BatchNorm{}},
    {"BatchNormOf32WithScale", {32, 4, 4}, BatchNorm{.scale = true}},
    {"LrnOf3", {3, 5, 5}, Lrn{.radius = 4, .bias = 1, .alpha = 0.1}},
    {"LrnOf12", {12, 5, 4}, Lrn{.radius = 2, .bias = 2, .alpha = 0.3, .beta = 0.75}},
    {"LrnOf17", {17, 4, 4}, Lrn{.radius = 5, .bias = 1, .alpha = 0.05, .beta = 0.5}},
    {"LrnOf32AsAlexnet", {32, 5, 5}, Lrn{.radius = 4, .bias = 1, .alpha = 0.001 / 9}},
    {"ReluOf5", {5, 6, 6}, Relu{}},
    {"ReluOf17", {17, 5, 3}, Relu{}},
    {"ReluWithLowCeiling", {12, 5, 5}, Relu{.ceiling = 0.6f}},
    {"Relu6", {8, 5, 5}, Relu{.ceiling = 6}},
    {"DropoutOfImage", {5, 5, 5}, Dropout{.keep = 0.7}},
    {"DropoutOf12Channels", {12, 4, 4}, Dropout{.keep = 0.5}},
    {"GlobalAveragePoolOf5", {5, 7, 6}, GlobalAveragePool{}},
    {"GlobalAveragePoolOf16", {16, 5, 5}, GlobalAveragePool{}},
    {"PadChannelsOf5", {5, 4, 4}, PadChannels{.before = 3, .after = 4}},
    {"PadChannelsOf16", {16, 4, 4}, PadChannels{.before = 8, .after = 8}},
    {"PadChannelsAfter", {12, 3, 5}, PadChannels{.before = 0, .after = 1}},
};

void give_batch_sizes(std::vector<SmallNetwork>& networks) {
  for (int i = 0; SmallNetwork & network : networks) network.batch = 2 + i++ % 4;
}

}  // namespace

NodeId add_head(Graph& graph, NodeId x) {
  return graph.add("loss", SoftmaxLoss{}, {graph.add("logits", Dense{.units = 7}, {x})});
}

std::vector<SmallNetwork> single_layer_networks() {
  std::vector<SmallNetwork> networks;
  for (const auto& [input, conv] : kConvolutions) {
    networks.push_back({name_for(conv, input), behind_a_convolution(input, conv), 0});
  }
  for (const auto& [image, conv] : kFirstConvolutions) {
    networks.push_back({"First" + name_for(conv, image), on_the_image(image, conv), 0});
  }
  for (const auto& [input, pool] : kPools) {
    networks.push_back({name_for(pool, input), behind_a_convolution(input, pool), 0});
  }
  for (const auto& [name, input, layer] : kOthers) {
    networks.push_back({name, behind_a_convolution(input, layer), 0});
  }
  networks.push_back({"FirstDense", on_the_image({3, 5, 5}, Dense{.units = 17}), 0});
  give_batch_sizes(networks);
  return networks;
}

std::vector<SmallNetwork> all_small_networks() {
  std::vector<SmallNetwork> networks = single_layer_networks();
  for (SmallNetwork& network : block_networks()) networks.push_back(std::move(network));
  return networks;
}

SmallNetwork small_network(const std::string& name) {
  const std::vector<SmallNetwork> networks = all_small_networks();
  const auto found = std::find_if(networks.begin(), networks.end(),
                                  [&](const SmallNetwork& n) { return n.name == name; });
  assert(found != networks.end());
  return *found;
}

}  // namespace lockstep
