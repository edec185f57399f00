// gradient_flow.h: moves gradients from autograd to where they live and reports them in order.
//
// Autograd says when it is done with a parameter: its whole layer's backward has run by then, so
// the value is not needed any more. On the CPU that is inside backward, on the calling thread, and
// ready() is called there. On another device autograd only queues work, from a thread of its own.
// Gradients that live on the device are reported there, by that thread. For those that live in the
// arena the calling thread waits, one after the other, while the device works on.
#pragma once

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/variable.h>

#include <memory>
#include <optional>
#include <vector>

#include "engine/torch/backward_clock.h"
#include "engine/torch/parameter_tensors.h"
#include "engine/torch/pinned_gradients.h"

namespace lockstep::libtorch {

class GradientFlow {
 public:
  // Borrows both: they outlive it.
  GradientFlow(const ParameterTensors& parameters, BackwardClock& clock,
               std::optional<PinnedGradients> pinned);
  GradientFlow(const GradientFlow&) = delete;  // hooks point to it

  std::span<const ParameterId> order() const { return order_; }
  void attach();  // to the tensors, once they are bound
  void run_backward(const at::Tensor& loss, const GradientReady& ready);

 private:
  class Hook;

  void arrived(ParameterId id);
  void tell_of_those_in_turn();

  const ParameterTensors& parameters_;
  BackwardClock& clock_;
  std::optional<PinnedGradients> pinned_;  // from a device to the arena
  std::vector<ParameterId> order_;
  // Autograd keeps these alive only as long as a graph; the hooks on them must last. Which smart
  // pointer it is depends on the version of LibTorch.
  using Accumulator = decltype(torch::autograd::impl::grad_accumulator(at::Tensor()));
  std::vector<Accumulator> accumulators_;

  // Of the backward that runs now.
  const GradientReady* ready_ = nullptr;
  std::vector<bool> arrived_;  // by id
  size_t told_ = 0;            // of order_
};

}  // namespace lockstep::libtorch
