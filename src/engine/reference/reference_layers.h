// reference_layers.h: one layer computed the plain way: a loop per index, in double.
//
// Nothing here is fast or clever. A reader should be able to hold each loop against the formula in
// a paper; the other engines are held against these loops.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/engine.h"
#include "nn/graph.h"

namespace lockstep::reference {

// What one node makes of a batch, by image, channel, row and column, and the loss's gradient.
struct Activation {
  Shape shape;  // of one image
  std::vector<double> value, gradient;
};

struct Parameter {
  std::span<float> value, gradient;  // plain layout, in the arena
};

// What a step gives every layer, and what it gets from the loss heads.
struct Step {
  Mode mode = Mode::Training;
  uint64_t seed = 0;
  int64_t index = 0;  // forward calls before this one
  std::span<const int32_t> labels = {};
  double loss = 0;
  int top_1_hits = 0, top_5_hits = 0;
};

// Where a layer stands in its network. Borrowed from the engine, except for the lists.
struct Place {
  NodeId id;
  const Node& node;
  int batch;
  std::vector<Activation*> inputs;
  Activation& output;
  std::vector<Parameter> parameters;  // of this node, in the order of parameters_of()
  bool is_main_head;
};

class ReferenceLayer {
 public:
  explicit ReferenceLayer(Place& place) : place_(place) {}
  virtual ~ReferenceLayer() = default;

  virtual void forward(Step& step) = 0;
  // Adds to the gradients of the inputs; sets those of the parameters.
  virtual void backward(const Step& step) = 0;
  virtual std::vector<StateInfo> state() { return {}; }

 protected:
  const Activation& input() const { return *place_.inputs[0]; }
  Activation& input_gradient() { return *place_.inputs[0]; }
  Activation& output() { return place_.output; }

  Place& place_;
};

std::unique_ptr<ReferenceLayer> make_layer(const Image& spec, Place& place);
std::unique_ptr<ReferenceLayer> make_layer(const Conv& spec, Place& place);
std::unique_ptr<ReferenceLayer> make_layer(const Pool& spec, Place& place);
std::unique_ptr<ReferenceLayer> make_layer(const GlobalAveragePool& spec, Place& place);
std::unique_ptr<ReferenceLayer> make_layer(const Dense& spec, Place& place);
std::unique_ptr<ReferenceLayer> make_layer(const BatchNorm& spec, Place& place);
std::unique_ptr<ReferenceLayer> make_layer(const Lrn& spec, Place& place);
std::unique_ptr<ReferenceLayer> make_layer(const Relu& spec, Place& place);
std::unique_ptr<ReferenceLayer> make_layer(const Dropout& spec, Place& place);
std::unique_ptr<ReferenceLayer> make_layer(const Add& spec, Place& place);
std::unique_ptr<ReferenceLayer> make_layer(const Concat& spec, Place& place);
std::unique_ptr<ReferenceLayer> make_layer(const PadChannels& spec, Place& place);
std::unique_ptr<ReferenceLayer> make_layer(const SoftmaxLoss& spec, Place& place);

}  // namespace lockstep::reference
