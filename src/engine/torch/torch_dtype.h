// torch_dtype.h: the number formats of engine/dtype.h as LibTorch has them.
#pragma once

#include <ATen/core/Tensor.h>

#include "engine/dtype.h"

namespace lockstep::libtorch {

at::ScalarType type_of(Dtype dtype);  // of activations and kernels

// From now on products are computed in this format on that device. Throws UsageError where the
// device cannot, or not faster than in f32.
void use_dtype(Dtype dtype, at::Device device);

// How cuDNN convolves: always the same way, for the rest of the process; else as it is fastest.
void be_deterministic();
void choose_fast_convolutions();

}  // namespace lockstep::libtorch
