// conv_kernels.h: chooses oneDNN's convolution kernels and their layouts.
//
// Activations keep the engine's layout if a generated kernel accepts it; else oneDNN chooses and
// the operation copies. Weights are stored as forward likes them.
#pragma once

#include "engine/native/layout.h"
#include "nn/layers.h"

namespace lockstep::native {

struct ConvProblem {
  Conv layer;
  Pads pads;
  Shape input, output;
  int batch;
  bool bias;
  bool inference;
  float relu_ceiling = -1;                 // of a fused ReLU; negative: none
  dnnl::memory::desc source, destination;  // as the activations lie in memory

  dnnl::memory::dims weight_dims() const;  // with a group axis when depthwise
  dnnl::memory::desc any_weights() const;
  dnnl::memory::desc plain_weights() const;
  dnnl::memory::desc bias_desc() const;
};

using ConvForward = dnnl::convolution_forward::primitive_desc;
using ConvBackwardData = dnnl::convolution_backward_data::primitive_desc;
using ConvBackwardWeights = dnnl::convolution_backward_weights::primitive_desc;

ConvForward choose_forward(const dnnl::engine& engine, const ConvProblem& problem);
ConvBackwardData choose_backward_data(const dnnl::engine& engine, const ConvProblem& problem,
                                      const ConvForward& forward);
ConvBackwardWeights choose_backward_weights(const dnnl::engine& engine, const ConvProblem& problem,
                                            const ConvForward& forward);

}  // namespace lockstep::native
