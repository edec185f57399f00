#include "engine/torch/torch_engine.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <c10/core/GradMode.h>

#include <cassert>

#include "base/error.h"
#include "base/printable.h"
#include "engine/torch/accelerators.h"
#include "engine/torch/batch_input.h"
#include "engine/torch/device.h"
#include "engine/torch/device_report.h"
#include "engine/torch/device_rows.h"
#include "engine/torch/gradient_flow.h"
#include "engine/torch/layers.h"
#include "engine/torch/loaded_library.h"
#include "engine/torch/memory_estimate.h"
#include "engine/torch/step_graph.h"
#include "engine/torch/torch_dtype.h"
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

// Inference has nothing that should stay on the device, and no graph.
EngineOptions with_useful_place(EngineOptions options) {
  options.parameters_on_device &= options.mode == Mode::Training;
  options.graph &= options.parameters_on_device;
  return options;
}

std::optional<PinnedGradients> pinned_gradients(const ParameterTensors& parameters,
                                                const EngineOptions& options, at::Device device) {
  if (device.is_cpu() || options.parameters_on_device) return {};
  return PinnedGradients(parameters.count(), device, 1 / options.loss_scale.first);
}

template <typename Call>
decltype(auto) with_remedy(const Call& call) {
  try {
    return call();
  } catch (const c10::OutOfMemoryError& error) {
    throw Error("{}; use a smaller --batch-size", message_of(error));
  }
}

// What an engine has on an accelerator, besides what it has on the CPU.
struct OnDevice {
  explicit OnDevice(at::Device device) : report(device) {}

  DeviceReport report;
  std::optional<StepGraph> graph;
  std::optional<DeviceRows> rows;  // without: parameters live in the arena
};

class TorchEngine : public Engine {
 public:
  TorchEngine(const Graph& graph, const EngineOptions& options)
      : graph_(graph),
        options_(with_useful_place(options)),
        device_(find_device(options.device)),
        last_readers_(last_readers(graph)),
        parameters_(graph_, options, device_),
        averages_(device_),
        dropout_keys_(device_, options.seed),
        clock_(device_),
        flow_(parameters_, clock_, pinned_gradients(parameters_, options_, device_)) {
    use_threads(options.threads);
    use_dtype(options.dtype, device_);
    choose_fast_convolutions();
    make_current(device_);
    if (options_.graph) leave_default_stream(device_);
    input_.emplace(graph_.shape(graph_.image()), options_, device_);
    if (!device_.is_cpu()) on_device_.emplace(device_);
    if (options_.graph) on_device_->graph.emplace(device_);
    for (NodeId id = 1; id < node_count(); ++id) add_op(id);
  }

  std::span<const ParameterInfo> parameters() const override { return parameters_.infos(); }
  std::span<const ParameterId> backward_order() const override { return flow_.order(); }
  uint64_t layout_fingerprint() const override { return parameters_.fingerprint(); }
  std::span<const OpInfo> ops() const override { return infos_; }
  void observe(OpObserver* observer) override { observer_ = observer; }
  int64_t memory_bytes() const override { return estimated_bytes(graph_, options_); }

  void bind(ParameterArena& arena) override {
    with_remedy([&] { take_rows(arena); });
  }
  DeviceParameters* device_parameters() override {
    return on_device_ && on_device_->rows ? &*on_device_->rows : nullptr;
  }

  void start_forward(const Batch& batch) override {
    with_remedy([&] { queue_forward(batch); });
  }
  StepOutcome outcome(int forwards_ago) override;
  int outcome_lag() const override { return on_device_ ? 1 : 0; }
  void backward(const GradientReady& ready) override {
    with_remedy([&] { queue_backward(ready); });
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
  void take_rows(ParameterArena& arena);
  void queue_forward(const Batch& batch);
  void queue_backward(const GradientReady& ready);
  at::Tensor run(NodeId id, std::vector<at::Tensor>& values);
  at::Tensor scaled_loss() const;
  StepGraph* step_graph() {
    return on_device_ && on_device_->graph ? &*on_device_->graph : nullptr;
  }
  void report_forward();

  Graph graph_;
  EngineOptions options_;
  at::Device device_;
  std::vector<NodeId> last_readers_;
  ParameterTensors parameters_;
  MovingAverages averages_;
  DropoutKeys dropout_keys_;
  std::vector<Forward> forwards_;  // by operation; node = operation + 1, as the image needs none
  std::vector<OpInfo> infos_;
  OpObserver* observer_ = nullptr;  // borrowed
  BackwardClock clock_;
  GradientFlow flow_;
  std::optional<BatchInput> input_;  // made when its device and stream are current
  std::optional<OnDevice> on_device_;
  Step step_;  // holds the graph that autograd recorded, whose hooks point to the clock
  int64_t steps_ = 0;
};

void TorchEngine::add_op(NodeId id) {
  const Place place = {graph_, id, options_, device_, parameters_, averages_, dropout_keys_};
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

void TorchEngine::take_rows(ParameterArena& arena) {
  if (on_device_ && options_.parameters_on_device) {
    on_device_->rows.emplace(arena, options_, device_,
                             DeviceRows::Beside{on_device_->report, step_graph()});
  }
  parameters_.bind(arena, on_device_ && on_device_->rows ? &*on_device_->rows : nullptr);
  if (options_.mode == Mode::Training) flow_.attach();
}

void TorchEngine::queue_forward(const Batch& batch) {
  assert(batch.size() == options_.batch);
  const at::AutoGradMode record(options_.mode == Mode::Training);
  if (on_device_) on_device_->report.begin();
  BatchTensors sent = input_->send(batch);
  step_ = {.index = steps_++, .labels = std::move(sent.labels), .loss = {}, .ranks = {}};
  dropout_keys_.set(step_.index);
  if (StepGraph* const graph = step_graph()) {
    graph->begin(/*as_queued=*/observer_ != nullptr);
    if (graph->replays()) return;  // the rest is in the graph, which give_values() launches
  }
  parameters_.begin_reading();
  std::vector<at::Tensor> values(graph_.nodes().size());
  values[graph_.image()] = std::move(sent.images);
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
  parameters_.end_reading();
  if (on_device_) report_forward();
}

void TorchEngine::report_forward() {
  DeviceReport& report = on_device_->report;
  const at::Tensor squares = on_device_->rows ? on_device_->rows->sum_of_squares() : at::Tensor();
  const bool captures = step_graph() && step_graph()->captures();
  if (captures) return report.forward_captured(step_.loss, step_.ranks, squares);
  report.forward_done(step_.loss, step_.ranks, squares);
}

void TorchEngine::queue_backward(const GradientReady& ready) {
  StepGraph* const graph = step_graph();
  if (graph && graph->replays()) {
    for (const ParameterId id : flow_.order()) ready(id);
    return;
  }
  assert(step_.loss.defined() && step_.loss.requires_grad());
  clock_.start(observer_, static_cast<int>(infos_.size()));
  flow_.run_backward(scaled_loss(), ready);
  clock_.finish();
  step_.loss = step_.loss.detach();  // what autograd recorded may go
  if (!on_device_ || (graph && graph->captures())) return;
  input_->done();
  on_device_->report.backward_done();
}

at::Tensor TorchEngine::scaled_loss() const {
  const LossScaler* const adapts =
      on_device_ && on_device_->rows ? on_device_->rows->loss_scaler() : nullptr;
  if (adapts) return (step_.loss * adapts->scale()).squeeze();
  const double factor = options_.loss_scale.first;
  return factor == 1 ? step_.loss : step_.loss * factor;
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

StepOutcome TorchEngine::outcome(int forwards_ago) {
  if (on_device_) {
    const auto& rows = on_device_->rows;
    return on_device_->report.read(forwards_ago, rows ? rows->while_waiting() : WhileWaiting{});
  }
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

void make_torch_deterministic() { libtorch::be_deterministic(); }

std::optional<Accelerators> torch_accelerators() {
  const auto found = libtorch::find_accelerator("gpu");
  if (!found) return {};
  return Accelerators{std::string(found->name), found->devices};
}

std::string torch_library_versions() {
  libtorch::require_built_version();
  return libtorch::library_versions();
}

}  // namespace lockstep
