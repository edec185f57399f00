// dense_op.h: a fully connected layer with bias and ReLU.
#pragma once

#include <memory>

#include "engine/native/kernels.h"
#include "engine/native/op.h"

namespace lockstep::native {

struct DenseSpec {
  ParameterId kernel, bias;
  Value* x;  // flat
  Value* y;
  Bounds bounds;
  Mode mode;
};

std::unique_ptr<Op> make_dense_op(OpInfo info, const Device& device, const Layout& layout,
                                  const DenseSpec& spec);

}  // namespace lockstep::native
