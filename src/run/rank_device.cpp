#include "run/rank_device.h"

#include <fmt/format.h>

#include "base/text.h"

namespace lockstep {
namespace {

bool sees_one_gpu(const Environment& environment) {
  const auto visible = environment("CUDA_VISIBLE_DEVICES");
  return visible && !visible->empty() && split(*visible, ',').size() == 1;
}

}  // namespace

std::string rank_device(const std::string& device, int local_rank, const Environment& environment) {
  if (device != "cuda") return device;
  return fmt::format("cuda:{}", sees_one_gpu(environment) ? 0 : local_rank);
}

}  // namespace lockstep
