#include "engine/reference/reference_engine.h"

#include <algorithm>
#include <cassert>

#include "nn/parameters.h"

namespace lockstep {

using reference::Activation;
using reference::Place;

ReferenceEngine::ReferenceEngine(const Graph& graph, const EngineOptions& options)
    : graph_(graph), options_(options), parameters_of_node_(graph.nodes().size()) {
  for (const ParameterSpec& spec : parameters_of(graph)) {
    parameters_of_node_[spec.node].push_back(static_cast<ParameterId>(parameters_.size()));
    parameters_.push_back({spec.name, spec.shape, spec.shape.elements(), spec.decays});
  }
  for (ParameterId id = static_cast<int>(parameters_.size()); id-- > 0;) {
    backward_order_.push_back(id);
  }
  for (const Node& node : graph_.nodes()) {
    const std::vector<double> zeros(options.batch * node.output.elements());
    activations_.push_back({node.output, zeros, zeros});
  }
  const NodeId head = main_head(graph_);
  for (NodeId id = 0; const Node& node : graph_.nodes()) {
    std::vector<Activation*> inputs;
    for (const NodeId input : node.inputs) inputs.push_back(&activations_[input]);
    places_.push_back({id, node, options.batch, inputs, activations_[id], {}, id == head});
    ++id;
  }
  for (Place& place : places_) {
    layers_.push_back(
        std::visit([&](const auto& spec) { return make_layer(spec, place); }, place.node.layer));
    for (const StateInfo& state : layers_.back()->state()) state_.push_back(state);
    if (place.id == graph_.image()) continue;
    ops_.push_back({.layer = place.node.name,
                    .what = std::string(kind_of(place.node.layer)),
                    .kernel = "plain loops",
                    .output = place.node.output,
                    .forward_macs = 0});
  }
}

void ReferenceEngine::bind(ParameterArena& arena) {
  for (Place& place : places_) {
    place.parameters.clear();
    for (const ParameterId id : parameters_of_node_[place.id]) {
      place.parameters.push_back({arena.values(id), arena.gradient(id)});
    }
  }
}

StepOutcome ReferenceEngine::run_forward(const Batch& batch) {
  assert(batch.size() == options_.batch);
  step_ = {.mode = options_.mode,
           .seed = options_.seed,
           .index = forward_calls_++,
           .labels = batch.labels};
  take_images(batch);
  for (NodeId id = 1; id < static_cast<int>(layers_.size()); ++id) {
    const TimePoint begin = Clock::now();
    layers_[id]->forward(step_);
    tell(id, Pass::Forward, begin);
  }
  return {.loss = static_cast<float>(step_.loss),
          .top_1_hits = step_.top_1_hits,
          .top_5_hits = step_.top_5_hits};
}

void ReferenceEngine::take_images(const Batch& batch) {
  Activation& image = activations_[graph_.image()];
  assert(batch.images.size() == image.value.size());
  const int64_t channels = image.shape.channels(), size = image.shape.elements();
  const int64_t pixels = size / channels;
  for (int64_t i = 0; i < static_cast<int64_t>(image.value.size()); ++i) {
    const int64_t n = i / size, c = i % size / pixels, pixel = i % pixels;
    const bool by_pixel = options_.layout == ImageLayout::Nhwc;
    image.value[i] = batch.images[by_pixel ? n * size + pixel * channels + c : i];
  }
}

void ReferenceEngine::backward(const GradientReady& ready) {
  assert(options_.mode == Mode::Training);
  for (Activation& activation : activations_) {
    std::fill(activation.gradient.begin(), activation.gradient.end(), 0.0);
  }
  for (NodeId id = static_cast<int>(layers_.size()) - 1; id > 0; --id) {
    const TimePoint begin = Clock::now();
    layers_[id]->backward(step_);
    tell(id, Pass::Backward, begin);
    const std::vector<ParameterId>& ids = parameters_of_node_[id];
    for (auto parameter = ids.rbegin(); parameter != ids.rend(); ++parameter) ready(*parameter);
  }
}

void ReferenceEngine::tell(NodeId node, Pass pass, TimePoint begin) {
  if (observer_) observer_->executed(node - 1, pass, begin, Clock::now());
}

void ReferenceEngine::read_plain(ParameterId, std::span<const float> stored,
                                 std::span<float> plain) const {
  std::copy(stored.begin(), stored.end(), plain.begin());
}

void ReferenceEngine::write_plain(ParameterId, std::span<const float> plain,
                                  std::span<float> stored) const {
  std::copy(plain.begin(), plain.end(), stored.begin());
}

int64_t ReferenceEngine::memory_bytes() const {
  size_t doubles = 0;
  for (const Activation& activation : activations_) {
    doubles += activation.value.size() + activation.gradient.size();
  }
  return static_cast<int64_t>(doubles * sizeof(double));
}

std::unique_ptr<Engine> make_reference_engine(const Graph& graph, const EngineOptions& options) {
  return std::make_unique<ReferenceEngine>(graph, options);
}

}  // namespace lockstep
