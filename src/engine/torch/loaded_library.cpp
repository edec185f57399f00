#include "engine/torch/loaded_library.h"

#include <ATen/Context.h>
#include <ATen/Version.h>
#include <dlfcn.h>
#include <torch/version.h>

#include <string_view>

#include "base/error.h"

namespace lockstep::libtorch {
namespace {

std::string up_to(const std::string& text, std::string_view end) {
  return text.substr(0, text.find(end));
}

// Its own version is part of LibTorch's description of how it was built, since long before the
// first version supported here: "..., TORCH_VERSION=2.15.0, USE_CUDA=1, ...".
std::string loaded_version() {
  constexpr std::string_view kKey = "TORCH_VERSION=";
  const std::string config = at::show_config();
  const size_t begin = config.find(kKey);
  return begin == std::string::npos ? "of unknown version"
                                    : up_to(config.substr(begin + kKey.size()), ",");
}

std::string loaded_path() {
  Dl_info info = {};
  const bool known = dladdr(reinterpret_cast<const void*>(&at::show_config), &info) != 0;
  return known && info.dli_fname ? info.dli_fname : "libtorch_cpu.so";
}

std::string blas_version() {
  if (at::hasMKL()) return up_to(at::get_mkl_version(), "-Product");
  void* const openblas = dlsym(RTLD_DEFAULT, "openblas_get_config");
  return openblas ? reinterpret_cast<char* (*)()>(openblas)() : "a BLAS other than MKL or OpenBLAS";
}

}  // namespace

void require_built_version() {
  const std::string loaded = loaded_version();
  if (loaded == TORCH_VERSION) return;
  throw Error("{} is LibTorch {}, but this program was built for {}; build it again: ./run torch",
              loaded_path(), loaded, TORCH_VERSION);
}

std::string library_versions() {
  return fmt::format("LibTorch {}, {}, {}", loaded_version(), up_to(at::get_mkldnn_version(), " ("),
                     blas_version());
}

}  // namespace lockstep::libtorch
