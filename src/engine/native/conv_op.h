// conv_op.h: convolution with bias and ReLU; in inference with the batch normalisation folded in.
#pragma once

#include <memory>
#include <optional>

#include "engine/native/conv_kernels.h"
#include "engine/native/kernels.h"
#include "engine/native/norm_op.h"
#include "engine/native/op.h"

namespace lockstep::native {

struct ConvSpec {
  Conv layer;
  Pads pads;
  ParameterId kernel;
  std::optional<ParameterId> bias;
  Value* x;
  Value* y;
  Bounds bounds;
  Mode mode;
  ConvAlgorithm algorithm;
  std::optional<NormSpec> folded;  // inference only: its x and y are not used
};

std::unique_ptr<Op> make_conv_op(OpInfo info, const Device& device, const Layout& layout,
                                 const ConvSpec& spec);

}  // namespace lockstep::native
