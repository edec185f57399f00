// nvml.h: NVIDIA's GPUs, through the management library of their driver.
#pragma once

#include <memory>

#include "measure/gpu.h"

namespace lockstep {

// Null: the library is not there, lacks a function that everything needs, or does not start.
std::unique_ptr<GpuLibrary> open_nvml(const char* library);

}  // namespace lockstep
