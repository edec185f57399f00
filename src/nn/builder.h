// builder.h: writes a network down layer by layer, in the words of its paper.
//
// A thin hand over Graph: it gives nodes their names (conv0, batchnorm0, affine0, ... by order of
// creation) and spells out what papers leave unsaid: a convolution is followed by batch
// normalisation or has a bias, then comes the activation. Each of these is a node of its own;
// fusing them is the engine's business.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nn/graph.h"

namespace lockstep {

struct ModelOptions {
  int num_classes = 0;    // outputs of the classifier; 0: as many as the data set has
  bool aux_head = false;  // a second classifier half way, in networks whose paper has one
};

enum class Activation { None, Relu, Relu6 };

// What a network's convolutions have in common, said once.
struct ConvDefaults {
  std::optional<BatchNorm> batch_norm = {};
  Activation activation = Activation::Relu;
  std::optional<double> stddev = {};  // of initial kernels
};

struct ConvSpec {
  int filters = 0;
  Extent kernel = 1;
  int stride = 1;
  Padding padding = Padding::Same;
  std::optional<bool> bias = {};        // absent: unless batch normalisation follows
  std::optional<bool> batch_norm = {};  // absent, here and below: as ConvDefaults says
  std::optional<Activation> activation = {};
  std::optional<double> stddev = {};
  double initial_bias = 0;  // of what has a bias
};

struct DenseSpec {
  int units = 0;
  Activation activation = Activation::Relu;
  std::optional<double> stddev = {};
  double initial_bias = 0;
};

struct Head {
  double weight = 1;  // in the network's loss
  std::optional<double> stddev = {};
};

class Builder {
 public:
  Builder(Shape image, ModelOptions options) : graph_(std::move(image)), options_(options) {}

  void set_defaults(const ConvDefaults& defaults) { defaults_ = defaults; }
  const ModelOptions& options() const { return options_; }
  const Graph& graph() const { return graph_; }  // so far
  int64_t channels(NodeId id) const { return graph_.shape(id).channels(); }
  Extent extent(NodeId id) const;  // height and width of an image

  NodeId image() const { return graph_.image(); }
  // Throws Error for a bias that batch normalisation would take away.
  NodeId conv(NodeId input, const ConvSpec& spec);
  NodeId convs(NodeId input, std::initializer_list<ConvSpec> specs);  // one after the other
  NodeId depthwise(NodeId input, const ConvSpec& spec);               // `filters` stays unset
  NodeId max_pool(NodeId input, Pool pool);
  NodeId average_pool(NodeId input, Pool pool);
  NodeId dense(NodeId input, const DenseSpec& spec);
  NodeId batch_norm(NodeId input, const BatchNorm& norm = {});
  NodeId activate(NodeId input, Activation activation);
  NodeId relu(NodeId input) { return activate(input, Activation::Relu); }
  NodeId lrn(NodeId input, const Lrn& lrn);
  NodeId dropout(NodeId input, Dropout dropout = {});
  NodeId add(NodeId left, NodeId right);
  NodeId concat(std::vector<NodeId> inputs);
  NodeId pad_channels(NodeId input, PadChannels pad);
  NodeId global_average_pool(NodeId input);
  // The linear classifier and its loss: how every network ends.
  NodeId classify(NodeId features, const Head& head = {});

  Graph finish() && { return std::move(graph_); }

 private:
  NodeId append(Layer layer, std::vector<NodeId> inputs);
  NodeId convolve(NodeId input, const ConvSpec& spec, bool depthwise);

  Graph graph_;
  ModelOptions options_;
  ConvDefaults defaults_;
  std::map<std::string, int> names_used_;  // how many nodes of each kind there are
};

}  // namespace lockstep
