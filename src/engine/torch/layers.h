// layers.h: layers of the graph as ATen calls; only forward, since backward is autograd's.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/torch/dropout_keys.h"
#include "engine/torch/moving_averages.h"
#include "engine/torch/parameter_tensors.h"

namespace lockstep::libtorch {

// What the layers of one forward share.
struct Step {
  int64_t index = 0;  // forward calls before this one
  at::Tensor labels;  // on the device
  at::Tensor loss;    // sum of the weighted heads so far; undefined in inference
  at::Tensor ranks;   // of the main head: per image, how many classes beat the right one
};

using Inputs = std::vector<at::Tensor>;  // by image, then as in Node::output
using Forward = std::function<at::Tensor(const Inputs& inputs, Step& step)>;

struct LayerCode {
  std::string calls;  // for profiles: "at::conv2d"
  Forward forward;
};

// Where a layer stands. Borrowed: all of it outlives the code that is made from it.
struct Place {
  const Graph& graph;
  NodeId id;
  const EngineOptions& options;
  at::Device device;
  const ParameterTensors& parameters;
  MovingAverages& averages;
  DropoutKeys& dropout_keys;

  const Node& node() const { return graph.node(id); }
  const Shape& input_shape() const { return graph.shape(node().inputs[0]); }
  bool training() const { return options.mode == Mode::Training; }
};

LayerCode make_code(const Image& layer, const Place& place);
LayerCode make_code(const Conv& layer, const Place& place);
LayerCode make_code(const Pool& layer, const Place& place);
LayerCode make_code(const Dense& layer, const Place& place);
LayerCode make_code(const BatchNorm& layer, const Place& place);
LayerCode make_code(const Lrn& layer, const Place& place);
LayerCode make_code(const Relu& layer, const Place& place);
LayerCode make_code(const Dropout& layer, const Place& place);
LayerCode make_code(const Add& layer, const Place& place);
LayerCode make_code(const Concat& layer, const Place& place);
LayerCode make_code(const GlobalAveragePool& layer, const Place& place);
LayerCode make_code(const PadChannels& layer, const Place& place);
LayerCode make_code(const SoftmaxLoss& layer, const Place& place);

// A ReLU may overwrite its input when nobody else reads it, and autograd neither: of these
// producers it keeps inputs only.
bool may_overwrite_input(const Graph& graph, NodeId id);

}  // namespace lockstep::libtorch
