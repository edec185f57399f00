#include "engine/torch/accelerators.h"

#include <ATen/DeviceAccelerator.h>
#include <dlfcn.h>

#include <algorithm>
#include <iterator>

namespace lockstep::libtorch {
namespace {

struct Row {
  std::string_view name;
  c10::DeviceType type;
  const char* library;  // null: part of libtorch_cpu
};
constexpr Row kRows[] = {
    {"cuda", c10::DeviceType::CUDA, "libtorch_cuda.so"},
    {"cuda", c10::DeviceType::CUDA, "libtorch_hip.so"},  // ROCm builds say cuda, too
    {"xpu", c10::DeviceType::XPU, "libtorch_xpu.so"},
    {"mps", c10::DeviceType::MPS, nullptr},
    // What a vendor, or a test, adds to LibTorch.
    {"privateuseone", c10::DeviceType::PrivateUse1, nullptr},
};
constexpr std::string_view kAny = "gpu";

// Before the first question: LibTorch remembers the answer 'none' for good. A library that is not
// there is one that this LibTorch does not have. Whoever has added an accelerator means that one.
void load_libraries() {
  static const bool loaded = [] {
    if (c10::is_privateuse1_backend_registered()) return true;
    for (const Row& row : kRows) {
      if (row.library) dlopen(row.library, RTLD_NOW | RTLD_GLOBAL);
    }
    return true;
  }();
  static_cast<void>(loaded);
}

const Row* row_of(c10::DeviceType type) {
  const auto* const row = std::ranges::find(kRows, type, &Row::type);
  return row == std::end(kRows) ? nullptr : row;
}

}  // namespace

std::optional<FoundAccelerator> find_accelerator(std::string_view name) {
  load_libraries();
  const std::optional<c10::DeviceType> type = at::accelerator::getAccelerator();
  const Row* const row = type ? row_of(*type) : nullptr;
  if (!row || (name != kAny && name != row->name)) return {};
  const int devices = at::accelerator::deviceCount();
  if (devices == 0) return {};  // its library is there, its driver or hardware is not
  return FoundAccelerator{row->name, row->type, devices};
}

}  // namespace lockstep::libtorch
