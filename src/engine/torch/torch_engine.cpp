#include "engine/torch/torch_engine.h"

#include <ATen/Functions.h>
#include <c10/core/GradMode.h>

#include <cassert>

#include "engine/torch/device.h"
#include "engine/torch/gradient_flow.h"
#include "engine/torch/layers.h"
#include "engine/torch/loaded_library.h"
#include "engine/torch/memory_estimate.h"
#include "nn/cost.h"

namespace lockstep {
namespace libtorch {
namespace {

// By node: the last one that reads its value, after which it may go.
std::vector<NodeId> last_readers(const Graph& graph) {
  std::vector<NodeId> last;
  for (const std::vector<NodeId>& readers : consumers_of(graph)) {
    last.push_back(readers.empty() ? 0 : readers.back());
  }
  return last;
}

class TorchEngine : public Engine {
 public:
  TorchEngine(const Graph& graph, const EngineOptions& options)
      : graph_(graph),
        options_(options),
        device_(find_device(options.device)),
        last_readers_(last_readers(graph)),
        parameters_(graph_, options, device_),
        averages_(device_),
        clock_(device_),
        flow_(parameters_, clock_, device_) {
    use_threads(options.threads);
    for (NodeId id = 1; id < node_count(); ++id) add_op(id);
  }

  std::span<const ParameterInfo> parameters() const override { return parameters_.infos(); }
  std::span<const ParameterId> backward_order() const override { return flow_.order(); }
  uint64_t layout_fingerprint() const override { return parameters_.fingerprint(); }
  std::span<const OpInfo> ops() const override { return infos_; }
  void observe(OpObserver* observer) override { observer_ = observer; }
  int64_t memory_bytes() const override { return estimated_bytes(graph_, options_); }

  void bind(ParameterArena& arena) override {
    parameters_.bind(arena);
    if (options_.mode == Mode::Training) flow_.attach();
  }

  StepOutcome forward(const Batch& batch) override;

  void backward(const GradientReady& ready) override {
    assert(step_.loss.defined());
    clock_.start(observer_, static_cast<int>(infos_.size()));
    flow_.run_backward(step_.loss, ready);
    clock_.finish();
    step_.loss.reset();
  }

  void values_changed(ParameterId id) override { parameters_.refresh(id); }
  std::span<const StateInfo> state() override {
    averages_.to_host();
    return averages_.infos();
  }
  void count_from(int64_t step) override { steps_ = step; }
  void state_changed() override { averages_.to_device(); }

  void read_plain(ParameterId id, std::span<const float> stored,
                  std::span<float> plain) const override {
    parameters_.read_plain(id, stored, plain);
  }
  void write_plain(ParameterId id, std::span<const float> plain,
                   std::span<float> stored) const override {
    parameters_.write_plain(id, plain, stored);
  }

 private:
  NodeId node_count() const { return static_cast<NodeId>(graph_.nodes().size()); }
  void add_op(NodeId id);
  at::Tensor images_of(const Batch& batch) const;
  at::Tensor labels_of(const Batch& batch) const;
  at::Tensor run(NodeId id, std::vector<at::Tensor>& values);
  StepOutcome outcome() const;

  Graph graph_;
  EngineOptions options_;
  at::Device device_;
  std::vector<NodeId> last_readers_;
  ParameterTensors parameters_;
  MovingAverages averages_;
  std::vector<Forward> forwards_;  // by operation; node = operation + 1, as the image needs none
  std::vector<OpInfo> infos_;
  OpObserver* observer_ = nullptr;  // borrowed
  BackwardClock clock_;
  GradientFlow flow_;
  Step step_;  // holds the graph that autograd recorded, whose hooks point to the clock
  int64_t steps_ = 0;
};

void TorchEngine::add_op(NodeId id) {
  const Place place = {graph_, id, options_, device_, parameters_, averages_};
  const Node& node = graph_.node(id);
  LayerCode code =
      std::visit([&](const auto& layer) { return make_code(layer, place); }, node.layer);
  forwards_.push_back(std::move(code.forward));
  infos_.push_back({.layer = node.name,
                    .what = std::string(kind_of(node.layer)),
                    .kernel = std::move(code.calls),
                    .output = node.output,
                    .forward_macs = forward_macs(graph_, id)});
}

StepOutcome TorchEngine::forward(const Batch& batch) {
  assert(batch.size() == options_.batch);
  const at::AutoGradMode record(options_.mode == Mode::Training);
  step_ = {.index = steps_++, .labels = labels_of(batch), .loss = {}, .ranks = {}};
  std::vector<at::Tensor> values(graph_.nodes().size());
  values[graph_.image()] = images_of(batch);
  for (NodeId id = 1; id < node_count(); ++id) {
    if (!observer_) {
      values[id] = run(id, values);
      continue;
    }
    const TimePoint begin = Clock::now();
    values[id] = run(id, values);
    wait_until_idle(device_);
    observer_->executed(id - 1, Pass::Forward, begin, Clock::now());
    clock_.watch(values[id], id - 1);
  }
  return outcome();
}

// Drops inputs that nobody else reads, so that what autograd does not keep is free again.
at::Tensor TorchEngine::run(NodeId id, std::vector<at::Tensor>& values) {
  const std::vector<NodeId>& ids = graph_.node(id).inputs;
  Inputs inputs;
  for (const NodeId input : ids) inputs.push_back(values[input]);
  for (const NodeId input : ids) {
    if (last_readers_[input] == id) values[input].reset();
  }
  return forwards_[id - 1](inputs, step_);
}

// Views of the batch, moved to the device if that is another; only read.
at::Tensor TorchEngine::images_of(const Batch& batch) const {
  const Shape& image = graph_.shape(graph_.image());
  const int64_t channels = image.channels(), height = image.height(), width = image.width();
  const std::vector<int64_t> sizes = {options_.batch, channels, height, width};
  const bool by_pixel = options_.layout == ImageLayout::Nhwc;
  const std::vector<int64_t> strides =
      by_pixel ? std::vector<int64_t>{image.elements(), 1, width * channels, channels}
               : std::vector<int64_t>{image.elements(), height * width, width, 1};
  return at::from_blob(const_cast<float*>(batch.images.data()), sizes, strides).to(device_);
}

at::Tensor TorchEngine::labels_of(const Batch& batch) const {
  int32_t* labels = const_cast<int32_t*>(batch.labels.data());
  return at::from_blob(labels, {options_.batch}, at::kInt).to(device_, at::kLong);
}

StepOutcome TorchEngine::outcome() const {
  const auto hits = [&](int best) { return step_.ranks.lt(best).sum().item<int>(); };
  return {.loss = step_.loss.defined() ? step_.loss.item<float>() : 0.0f,
          .top_1_hits = hits(1),
          .top_5_hits = hits(5)};
}

}  // namespace
}  // namespace libtorch

std::unique_ptr<Engine> make_torch_engine(const Graph& graph, const EngineOptions& options) {
  libtorch::require_built_version();
  return std::make_unique<libtorch::TorchEngine>(graph, options);
}

std::string torch_library_versions() {
  libtorch::require_built_version();
  return libtorch::library_versions();
}

}  // namespace lockstep
