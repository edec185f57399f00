// fold.h: batch normalisation with fixed statistics is a convolution with other weights.
#pragma once

#include <span>

#include "engine/native/norm_op.h"

namespace lockstep::native {

// Plain weights (output channel outermost) times gamma / sigma; the rest becomes the bias.
// `gamma` may be null.
void fold_norm(const BatchNorm& layer, const NormState& state, const float* gamma,
               const float* beta, std::span<float> weights, std::span<float> bias);

}  // namespace lockstep::native
