#include "run/rank_device.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace lockstep {
namespace {

bool sees_one_gpu(const Environment& environment) {
  const auto visible = environment("CUDA_VISIBLE_DEVICES");
  return visible && !visible->empty() && split(*visible, ',').size() == 1;
}

}  // namespace

std::string rank_device(const RunConfig& run, int local_rank, const Environment& environment) {
  if (run.device != "cuda") return run.device;
  const std::vector<int> listed = gpu_indices(run);
  if (listed.empty()) {
    return fmt::format("cuda:{}", sees_one_gpu(environment) ? 0 : local_rank);
  }
  if (local_rank >= std::ssize(listed)) {
    throw UsageError("--gpu-indices {}: this host has more workers; name a GPU for each",
                     run.gpu_indices);
  }
  return fmt::format("cuda:{}", listed[static_cast<size_t>(local_rank)]);
}

std::vector<int> gpu_indices(const RunConfig& run) {
  constexpr int kMost = 1024;
  std::vector<int> listed;
  if (run.gpu_indices.empty()) return listed;
  for (const std::string& part : split(run.gpu_indices, ',')) {
    const auto number = whole_number(part);
    const bool fits = number && *number >= 0 && *number < kMost;
    if (!fits || std::ranges::count(listed, *number)) {
      throw UsageError("--gpu-indices must be a list of different GPUs such as 0,2, not '{}'",
                       run.gpu_indices);
    }
    listed.push_back(static_cast<int>(*number));
  }
  if (std::ssize(listed) < run.num_devices) {
    throw UsageError("--gpu-indices {}: --num-devices {} needs as many GPUs; name one for each",
                     run.gpu_indices, run.num_devices);
  }
  return listed;
}

}  // namespace lockstep
