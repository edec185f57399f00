// norm_op.h: batch normalisation, with the residual addition and ReLU that follow it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/native/kernels.h"
#include "engine/native/op.h"
#include "nn/layers.h"

namespace lockstep::native {

// Moving averages of one batch normalisation, padded to whole blocks.
struct NormState {
  std::vector<float> mean, variance;
};

struct NormSpec {
  BatchNorm layer;
  std::optional<ParameterId> gamma;
  ParameterId beta;
  NormState* state;  // borrowed from the engine
  Value* x;
  Value* residual = nullptr;  // added before the clamp
  Value* y;                   // the one value that may be a slice of a concatenation
  Bounds bounds;
  Mode mode;
};

std::unique_ptr<Op> make_norm_op(OpInfo info, const Layout& layout, const NormSpec& spec);

// The stored form of a per-channel parameter: padded with zeros to whole blocks.
StoredParameter stored_per_channel(const Layout& layout, ParameterId id, int64_t channels);

}  // namespace lockstep::native
