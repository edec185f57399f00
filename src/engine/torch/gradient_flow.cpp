#include "engine/torch/gradient_flow.h"

#include <torch/csrc/autograd/variable.h>

#include <cassert>

namespace lockstep::libtorch {

// Runs when autograd has put a gradient into its parameter.
class GradientFlow::Hook : public torch::autograd::FunctionPostHook {
 public:
  Hook(GradientFlow& flow, ParameterId id) : flow_(flow), id_(id) {}

  torch::autograd::variable_list operator()(const torch::autograd::variable_list& outputs,
                                            const torch::autograd::variable_list&) override {
    flow_.arrived(id_);
    return outputs;
  }

 private:
  GradientFlow& flow_;
  ParameterId id_;
};

// Autograd runs what was recorded last first, so parameters finish in reverse.
GradientFlow::GradientFlow(const ParameterTensors& parameters, BackwardClock& clock,
                           std::optional<PinnedGradients> pinned)
    : parameters_(parameters), clock_(clock), pinned_(std::move(pinned)) {
  for (ParameterId id = parameters.count(); id-- > 0;) order_.push_back(id);
}

void GradientFlow::attach() {
  accumulators_.clear();
  for (ParameterId id = 0; id < parameters_.count(); ++id) {
    accumulators_.push_back(torch::autograd::impl::grad_accumulator(parameters_[id]));
    accumulators_.back()->add_post_hook(std::make_unique<Hook>(*this, id));
  }
}

void GradientFlow::run_backward(const at::Tensor& loss, const GradientReady& ready) {
  ready_ = &ready;
  arrived_.assign(order_.size(), false);
  told_ = 0;
  loss.backward();
  tell_of_those_in_turn();
  assert(told_ == order_.size());
}

void GradientFlow::arrived(ParameterId id) {
  at::Tensor& gradient = parameters_[id].mutable_grad();
  if (pinned_) {
    pinned_->send(id, gradient);
  } else {
    parameters_.gradient(id).copy_(gradient);
  }
  gradient.reset();  // so that the next one is not added to it
  arrived_[id] = true;
  if (!pinned_) tell_of_those_in_turn();
}

void GradientFlow::tell_of_those_in_turn() {
  for (; told_ < order_.size() && arrived_[order_[told_]]; ++told_) {
    const ParameterId id = order_[told_];
    if (pinned_) pinned_->receive(id, parameters_.gradient(id));
    clock_.pause();
    (*ready_)(id);
  }
}

}  // namespace lockstep::libtorch
