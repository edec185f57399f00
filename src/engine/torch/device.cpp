#include "engine/torch/device.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>
#include <torch/version.h>

#include "base/error.h"

namespace lockstep::libtorch {
namespace {

// What of OpenBLAS is loaded: LibTorch takes whatever BLAS the system has, so it may be another.
template <typename Function>
Function* in_openblas(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace

at::Device find_device(const std::string& name) {
  const at::Device wanted(name);
  if (wanted.is_cpu()) return wanted;
  if (!at::globalContext().hasCUDA()) {
    throw UsageError("--device {}: this LibTorch sees no CUDA device; use --device cpu", name);
  }
  const int count = c10::impl::VirtualGuardImpl(at::kCUDA).deviceCount();
  const int index = wanted.has_index() ? wanted.index() : 0;
  if (index >= count) {
    throw UsageError("--device {}: only {} CUDA devices, numbered from 0", name, count);
  }
  return at::Device(wanted.type(), static_cast<at::DeviceIndex>(index));
}

// ATen, oneDNN and OpenBLAS for OpenMP share the OpenMP pool of the calling thread. An OpenBLAS
// with threads of its own must at least not have more of them.
void use_threads(int threads) {
  at::set_num_threads(threads);
  if (auto* set = in_openblas<void(int)>("openblas_set_num_threads")) set(threads);
}

void wait_until_idle(at::Device device) {
  if (device.is_cpu()) return;
  c10::impl::VirtualGuardImpl(device.type()).getStream(device).synchronize();
}

std::string library_versions() {
  auto* const config = in_openblas<char*()>("openblas_get_config");
  const std::string onednn = at::get_mkldnn_version();
  return fmt::format("LibTorch {}, {}, {}", TORCH_VERSION, onednn.substr(0, onednn.find(" (")),
                     config ? config() : "a BLAS that is not OpenBLAS");
}

}  // namespace lockstep::libtorch
