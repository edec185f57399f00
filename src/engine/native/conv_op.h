// conv_op.h: convolution with bias and ReLU; in inference with the batch normalisation folded in.
#pragma once

#include <memory>
#include <optional>

#include "engine/native/conv_methods.h"
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
  std::optional<NormSpec> folded;  // inference only: its x and y are not used
};

// What all convolutions of a network share. The operation keeps the device only.
struct ConvContext {
  const Device& device;
  const Layout& layout;
  ConvChooser& chooser;
};

std::unique_ptr<Op> make_conv_op(OpInfo info, const ConvContext& context, const ConvSpec& spec);

}  // namespace lockstep::native
