// reference_engine.h: the slow, plain engine that the others are compared with.
//
// Activations and sums are double; parameters are float in plain layout, so stored == plain. It
// computes layer by layer in the graph's order and uses one thread, whatever the options say.
#pragma once

#include <memory>
#include <vector>

#include "engine/engine.h"
#include "engine/reference/reference_layers.h"

namespace lockstep {

class ReferenceEngine final : public HostEngine {
 public:
  ReferenceEngine(const Graph& graph, const EngineOptions& options);

  std::span<const ParameterInfo> parameters() const override { return parameters_; }
  std::span<const ParameterId> backward_order() const override { return backward_order_; }
  uint64_t layout_fingerprint() const override { return 0; }
  void bind(ParameterArena& arena) override;
  StepOutcome run_forward(const Batch& batch) override;
  void backward(const GradientReady& ready) override;
  void values_changed(ParameterId) override {}  // nothing is derived from them
  void read_plain(ParameterId id, std::span<const float> stored,
                  std::span<float> plain) const override;
  void write_plain(ParameterId id, std::span<const float> plain,
                   std::span<float> stored) const override;
  std::span<const StateInfo> state() override { return state_; }
  void count_from(int64_t step) override { forward_calls_ = step; }
  void state_changed() override {}
  std::span<const OpInfo> ops() const override { return ops_; }
  void observe(OpObserver* observer) override { observer_ = observer; }
  int64_t memory_bytes() const override;

  // The last forward's loss before rounding to float: for finite differences.
  double exact_loss() const { return step_.loss; }
  // What a node made of the last batch, by image, channel, row and column.
  std::span<const double> output(NodeId id) const { return activations_[id].value; }

 private:
  void take_images(const Batch& batch);
  void tell(NodeId node, Pass pass, TimePoint begin);

  Graph graph_;
  EngineOptions options_;
  std::vector<ParameterInfo> parameters_;
  std::vector<ParameterId> backward_order_;
  std::vector<std::vector<ParameterId>> parameters_of_node_;
  std::vector<reference::Activation> activations_;  // by node, as the three below
  std::vector<reference::Place> places_;
  std::vector<std::unique_ptr<reference::ReferenceLayer>> layers_;
  std::vector<OpInfo> ops_;  // of all nodes but the image
  std::vector<StateInfo> state_;
  reference::Step step_;
  int64_t forward_calls_ = 0;
  OpObserver* observer_ = nullptr;  // borrowed while set
};

std::unique_ptr<Engine> make_reference_engine(const Graph& graph, const EngineOptions& options);

}  // namespace lockstep
