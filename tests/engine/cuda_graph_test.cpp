// The library that adds CUDA's graphs to LibTorch: without a GPU, that it loads and registers.
#include <ATen/core/GraphImplInterface.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(CudaGraph, LoadingItRegistersTheGraphsOfCuda) {
  ASSERT_NE(dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL), nullptr) << dlerror();
  ASSERT_FALSE(at::has_graph_impl(c10::DeviceType::CUDA))
      << "this LibTorch registers them itself; remove src/engine/cuda_graph";
  ASSERT_NE(dlopen(CUDA_GRAPH_LIBRARY, RTLD_NOW | RTLD_GLOBAL), nullptr) << dlerror();
  EXPECT_TRUE(at::has_graph_impl(c10::DeviceType::CUDA));
}

}  // namespace
}  // namespace lockstep
