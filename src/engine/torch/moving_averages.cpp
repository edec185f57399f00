#include "engine/torch/moving_averages.h"

#include <ATen/Functions.h>

namespace lockstep::libtorch {
namespace {

at::Tensor view(std::vector<float>& memory) {
  return at::from_blob(memory.data(), {static_cast<int64_t>(memory.size())});
}

}  // namespace

Averages* MovingAverages::add(const std::string& layer, int64_t channels) {
  Averages& averages = *all_.emplace_back(std::make_unique<Averages>());
  averages.host_mean.assign(static_cast<size_t>(channels), 0.0f);
  averages.host_variance.assign(static_cast<size_t>(channels), 1.0f);
  averages.mean = view(averages.host_mean).to(device_);
  averages.variance = view(averages.host_variance).to(device_);
  infos_.push_back({layer + "/moving_mean", averages.host_mean});
  infos_.push_back({layer + "/moving_variance", averages.host_variance});
  return &averages;
}

void MovingAverages::to_host() {
  if (device_.is_cpu()) return;
  for (const auto& averages : all_) {
    view(averages->host_mean).copy_(averages->mean);
    view(averages->host_variance).copy_(averages->variance);
  }
}

void MovingAverages::to_device() {
  if (device_.is_cpu()) return;
  for (const auto& averages : all_) {
    averages->mean.copy_(view(averages->host_mean));
    averages->variance.copy_(view(averages->host_variance));
  }
}

}  // namespace lockstep::libtorch
