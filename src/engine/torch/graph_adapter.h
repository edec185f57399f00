// graph_adapter.h: loads what LibTorch lacks to capture graphs through its common interface.
//
// LibTorch 2.15 has that interface, but not NVIDIA's graphs in it. src/engine/cuda_graph adds them:
// a library of its own, because it is built with CUDA's headers. It is loaded when it is needed.
#pragma once

#include <c10/core/Device.h>

#include <string>

namespace lockstep::libtorch {

// Why there may be no graphs on this device even now.
std::string load_graph_adapter(at::Device device);

}  // namespace lockstep::libtorch
