// torch_dtype.h: the number formats of engine/dtype.h as LibTorch has them.
#pragma once

#include <ATen/core/Tensor.h>

#include "engine/dtype.h"

namespace lockstep::libtorch {

at::ScalarType type_of(Dtype dtype);  // of activations and kernels

// From now on products are computed in this format on that device. Throws UsageError where the
// device cannot, or not faster than in f32.
void use_dtype(Dtype dtype, at::Device device);

}  // namespace lockstep::libtorch
