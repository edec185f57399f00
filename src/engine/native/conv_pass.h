// conv_pass.h: one direction of a convolution. Direct (oneDNN) and Winograd implement each; the
// operation around them does not depend on which.
#pragma once

#include <memory>
#include <string>

#include "engine/native/conv_kernels.h"
#include "engine/native/kernels.h"
#include "engine/native/op.h"

namespace lockstep::native {

// The tensors of a convolution: forward makes y from x, backward-data x from y, backward-weights
// weights and bias from x and y (then all of them gradients, but for x).
struct ConvTensors {
  float *x = nullptr, *y = nullptr, *weights = nullptr, *bias = nullptr;
};

class ConvPass {
 public:
  virtual ~ConvPass() = default;
  virtual std::string kernel() const = 0;
  virtual dnnl::memory::desc weights() const = 0;  // the layout it reads or writes
  virtual void plan(Planner& planner) = 0;         // scratch, at this tick
  virtual void bind(const Addresses& addresses, const ConvTensors& tensors) = 0;
  virtual void run() = 0;
  virtual void move_x(float* x) = 0;  // the batch lies somewhere else in this step
};

// `stored`: the layout of the weights in the arena.
std::unique_ptr<ConvPass> make_direct_forward(const Device& device, const ConvProblem& problem);
std::unique_ptr<ConvPass> make_direct_backward_data(const Device& device,
                                                    const ConvProblem& problem);
std::unique_ptr<ConvPass> make_direct_backward_weights(const Device& device,
                                                       const ConvProblem& problem,
                                                       const dnnl::memory::desc& stored);

// Can it be computed by Winograd's method, with weights stored like this?
bool winograd_fits(const ConvProblem& problem, const dnnl::memory::desc& stored);
std::unique_ptr<ConvPass> make_winograd_forward(const ConvProblem& problem, Bounds bounds);
std::unique_ptr<ConvPass> make_winograd_backward_data(const ConvProblem& problem);
std::unique_ptr<ConvPass> make_winograd_backward_weights(const ConvProblem& problem);

}  // namespace lockstep::native
