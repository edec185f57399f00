#include "fake_accelerator/rounded_reference.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "engine/torch/layers.h"
#include "engine/torch/torch_dtype.h"
#include "nn/parameters.h"

namespace lockstep {
namespace {

at::Tensor rounded(const at::Tensor& tensor, at::ScalarType type) {
  return tensor.to(type).to(at::kFloat);
}

// Rounds a value on its way forward, and its gradient on the way back.
struct Round : torch::autograd::Function<Round> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& value,
                            int64_t type) {
    context->saved_data["type"] = type;
    return rounded(value, static_cast<at::ScalarType>(type));
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto type = static_cast<at::ScalarType>(context->saved_data["type"].toInt());
    return {rounded(gradients[0], type), at::Tensor()};
  }
};

class Reference {
 public:
  Reference(const Graph& graph, const EngineOptions& options)
      : graph_(graph),
        options_{.batch = options.batch, .seed = options.seed},
        type_(libtorch::type_of(options.dtype)),
        scale_(options.loss_scale.first),
        specs_(parameters_of(graph)),
        parameters_(graph, options_, at::kCPU),
        averages_(at::kCPU),
        keys_(at::kCPU, options.seed),
        arena_(sizes(), backward_order()) {
    for (NodeId id = 1; id < node_count(); ++id) {
      const libtorch::Place place = {graph_, id, options_, at::kCPU, parameters_, averages_, keys_};
      layers_.push_back(
          std::visit([&](const auto& layer) { return libtorch::make_code(layer, place).forward; },
                     graph_.node(id).layer));
    }
  }

  RoundedStep step(const std::vector<std::vector<float>>& values, const Batch& batch) {
    bind(values);
    libtorch::Step step = {.index = 0,
                           .labels = at::from_blob(const_cast<int32_t*>(batch.labels.data()),
                                                   {options_.batch}, at::kInt)
                                         .to(at::kLong),
                           .loss = {},
                           .ranks = {}};
    std::vector<at::Tensor> activations(graph_.nodes().size());
    const Shape& image = graph_.shape(graph_.image());
    activations[graph_.image()] =
        rounded(at::from_blob(const_cast<float*>(batch.images.data()),
                              {options_.batch, image.channels(), image.height(), image.width()}),
                type_);
    for (NodeId id = 1; id < node_count(); ++id) {
      libtorch::Inputs inputs;
      for (const NodeId input : graph_.node(id).inputs) inputs.push_back(round(activations[input]));
      const at::Tensor output = layers_[static_cast<size_t>(id) - 1](inputs, step);
      const bool is_loss = std::holds_alternative<SoftmaxLoss>(graph_.node(id).layer);
      activations[id] = is_loss ? output : round(output);
    }
    (step.loss * scale_).backward();
    return {step.loss.item<float>(), gradients()};
  }

 private:
  NodeId node_count() const { return static_cast<NodeId>(graph_.nodes().size()); }
  std::vector<int64_t> sizes() const {
    std::vector<int64_t> all;
    for (const ParameterSpec& spec : specs_) all.push_back(spec.shape.elements());
    return all;
  }
  std::vector<ParameterId> backward_order() const {
    std::vector<ParameterId> order;
    for (ParameterId id = 0; id < std::ssize(specs_); ++id) order.push_back(id);
    return order;
  }
  at::Tensor round(const at::Tensor& value) const {
    return Round::apply(value, static_cast<int64_t>(type_));
  }
  bool is_rounded(ParameterId id) const {
    const ParameterRole role = specs_[static_cast<size_t>(id)].role;
    return role == ParameterRole::Kernel || role == ParameterRole::Bias;
  }

  void bind(const std::vector<std::vector<float>>& values) {
    for (ParameterId id = 0; id < std::ssize(specs_); ++id) {
      std::ranges::copy(values[static_cast<size_t>(id)], arena_.values(id).begin());
    }
    parameters_.bind(arena_, nullptr);
    for (ParameterId id = 0; id < std::ssize(specs_); ++id) {
      const at::Tensor value = parameters_[id].detach();
      if (is_rounded(id)) value.copy_(rounded(value, type_));
    }
  }

  std::vector<std::vector<float>> gradients() const {
    std::vector<std::vector<float>> all;
    for (ParameterId id = 0; id < std::ssize(specs_); ++id) {
      at::Tensor gradient = parameters_[id].grad().contiguous();
      if (is_rounded(id)) gradient = rounded(gradient, type_);
      gradient = gradient / scale_;
      const float* const first = gradient.const_data_ptr<float>();
      all.emplace_back(first, first + gradient.numel());
    }
    return all;
  }

  const Graph& graph_;
  EngineOptions options_;
  at::ScalarType type_;
  double scale_;
  std::vector<ParameterSpec> specs_;
  libtorch::ParameterTensors parameters_;
  libtorch::MovingAverages averages_;
  libtorch::DropoutKeys keys_;
  ParameterArena arena_;
  std::vector<libtorch::Forward> layers_;
};

}  // namespace

RoundedStep rounded_step(const Graph& graph, const EngineOptions& options,
                         const std::vector<std::vector<float>>& values, const Batch& batch) {
  return Reference(graph, options).step(values, batch);
}

}  // namespace lockstep
