// accelerators.h: the accelerators that LibTorch may have.
//
// LibTorch keeps each in a library of its own, which programs load when they need it: one program
// runs with and without GPUs.
#pragma once

#include <c10/core/DeviceType.h>

#include <optional>
#include <string_view>

namespace lockstep::libtorch {

struct FoundAccelerator {
  std::string_view name;  // of --device
  c10::DeviceType type;
  int devices;  // at least one
};

// `name`: of --device, without a number. "gpu" means whatever accelerator is there. Nothing: this
// LibTorch or this machine has none of that name.
std::optional<FoundAccelerator> find_accelerator(std::string_view name);

}  // namespace lockstep::libtorch
