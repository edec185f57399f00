#include "measure/gpu.h"

#include "measure/nvml.h"

namespace lockstep {
namespace {

// AMD's library (libamd_smi) would be a second row.
constexpr GpuFamily kFamilies[] = {
    {"NVIDIA", "libnvidia-ml.so.1", open_nvml},
};

}  // namespace

std::span<const GpuFamily> gpu_families() { return kFamilies; }

std::unique_ptr<GpuLibrary> open_gpus() {
  for (const GpuFamily& family : kFamilies) {
    std::unique_ptr<GpuLibrary> library = family.open(family.library);
    if (library && library->count() > 0) return library;
  }
  return nullptr;
}

}  // namespace lockstep
