#include "run/rank/format_check.h"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep {
namespace {

constexpr int kAmpere = 80;  // the first with tf32 and bf16

std::optional<int> lowest_capability(GpuLibrary& gpus, std::optional<int> gpu) {
  if (gpu) return gpus.info(*gpu).compute_capability;
  std::optional<int> lowest;
  for (int each = 0; each < gpus.count(); ++each) {
    const std::optional<int> own = gpus.info(each).compute_capability;
    if (own) lowest = std::min(*own, lowest.value_or(*own));
  }
  return lowest;
}

}  // namespace

std::string format_obstacle(Dtype dtype, const std::string& device, GpuLibrary* gpus,
                            std::optional<int> gpu) {
  if (!device.starts_with("cuda") || (dtype != Dtype::Tf32 && dtype != Dtype::Bf16)) return "";
  const std::optional<int> found = gpus ? lowest_capability(*gpus, gpu) : std::nullopt;
  if (!found) {
    return dtype == Dtype::Tf32
               ? "only NVIDIA's GPUs have it, and the library of their driver finds none"
               : "";
  }
  if (*found >= kAmpere) return "";
  return fmt::format("this GPU lacks it (compute capability {}.{}; it requires 8.0)", *found / 10,
                     *found % 10);
}

}  // namespace lockstep
