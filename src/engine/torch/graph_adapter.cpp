#include "engine/torch/graph_adapter.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <torch/version.h>

#include <filesystem>

namespace lockstep::libtorch {

std::string load_graph_adapter(at::Device device) {
  constexpr const char* kLibrary = "liblockstep_cuda_graph.so";
  if (!device.is_cuda()) {
    return fmt::format("LibTorch {} captures no graphs on this device", TORCH_VERSION);
  }
  std::error_code unknown;  // then it is looked for in the working directory, and not found
  const auto program = std::filesystem::read_symlink("/proc/self/exe", unknown);
  const std::string path = program.parent_path() / kLibrary;
  if (dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL)) return "its adapter registers no graphs";
  return fmt::format(
      "graphs on NVIDIA GPUs need {}, which './run torch' builds where CUDA's headers are: {}",
      kLibrary, dlerror());
}

}  // namespace lockstep::libtorch
