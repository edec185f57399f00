// cuda_graph.cpp: CUDA's graphs behind LibTorch's common interface for graphs.
//
// A library of its own, which engine/torch loads when a run wants graphs on NVIDIA's GPUs. So only
// this file needs CUDA's headers, and a program without it runs everywhere. Loading it registers
// it.
#include <ATen/core/GraphImplInterface.h>
#include <ATen/cuda/CUDAGraph.h>

namespace lockstep {
namespace {

cudaStreamCaptureMode cuda_mode(at::GraphCaptureMode mode) {
  switch (mode) {
    case at::GraphCaptureMode::ThreadLocal:
      return cudaStreamCaptureModeThreadLocal;
    case at::GraphCaptureMode::Relaxed:
      return cudaStreamCaptureModeRelaxed;
    case at::GraphCaptureMode::Default:
    case at::GraphCaptureMode::Global:
      break;
  }
  return cudaStreamCaptureModeGlobal;
}

class CudaGraph : public at::GraphImplInterface {
 public:
  explicit CudaGraph(const at::GraphImplArgs& arguments) : graph_(arguments.keep_graph) {}

  void capture_begin(at::MempoolId_t pool, at::GraphCaptureMode mode) override {
    graph_.capture_begin(pool, cuda_mode(mode));
  }
  void capture_end() override { graph_.capture_end(); }
  void instantiate() override { graph_.instantiate(); }
  void replay() override { graph_.replay(); }
  void reset() override { graph_.reset(); }
  at::MempoolId_t pool() const override { return graph_.pool(); }
  void enable_debug_mode() override { graph_.enable_debug_mode(); }
  void debug_dump(const std::string&) override {}  // nobody asks for it

 private:
  mutable at::cuda::CUDAGraph graph_;  // its pool() is not const
};

}  // namespace
}  // namespace lockstep

namespace at {
REGISTER_GRAPH_IMPL(CUDA, lockstep::CudaGraph)
}
