#include "engine/torch/device.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>

#include "base/error.h"

namespace lockstep::libtorch {

at::Device find_device(const std::string& name) {
  const at::Device wanted(name);
  if (wanted.is_cpu()) return wanted;
  if (!at::globalContext().hasCUDA()) {
    throw UsageError("--device {}: this LibTorch sees no CUDA device; use --device cpu", name);
  }
  const int count = c10::impl::VirtualGuardImpl(at::kCUDA).deviceCount();
  const int index = wanted.has_index() ? wanted.index() : 0;
  if (index >= count) {
    throw UsageError("--device {}: this host has {} GPU{}; use at most one worker per GPU", name,
                     count, count == 1 ? "" : "s");
  }
  return at::Device(wanted.type(), static_cast<at::DeviceIndex>(index));
}

// ATen, oneDNN, MKL and OpenBLAS for OpenMP share the OpenMP pool of the calling thread. An
// OpenBLAS with threads of its own, as in Conda's LibTorch, must at least not have more of them.
void use_threads(int threads) {
  at::set_num_threads(threads);
  void* const set_openblas = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
  if (set_openblas) reinterpret_cast<void (*)(int)>(set_openblas)(threads);
}

void wait_until_idle(at::Device device) {
  if (device.is_cpu()) return;
  c10::impl::VirtualGuardImpl(device.type()).getStream(device).synchronize();
}

}  // namespace lockstep::libtorch
