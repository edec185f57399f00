// device.h: where LibTorch computes, and with how many threads.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace lockstep::libtorch {

// "cpu", "cuda" or "cuda:1". Throws UsageError when this LibTorch or this machine has none.
at::Device find_device(const std::string& name);

// One pool of that size for ATen, oneDNN and BLAS.
void use_threads(int threads);

// Waits for what was handed to the device. A CPU has done it already.
void wait_until_idle(at::Device device);

}  // namespace lockstep::libtorch
