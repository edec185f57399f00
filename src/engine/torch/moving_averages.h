// moving_averages.h: the moving averages of batch normalisation, on device and host.
//
// LibTorch would average the unbiased variance; this project, like TensorFlow, averages the biased
// one that it normalises with. So LibTorch keeps no averages and they are moved here.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace lockstep::libtorch {

struct Averages {
  std::vector<float> host_mean, host_variance;
  at::Tensor mean, variance;  // on the CPU: views of the two above
};

class MovingAverages {
 public:
  explicit MovingAverages(at::Device device) : device_(device) {}

  Averages* add(const std::string& layer, int64_t channels);  // lives as long as this
  std::span<const StateInfo> infos() const { return infos_; }
  void to_host();
  void to_device();

 private:
  at::Device device_;
  std::vector<std::unique_ptr<Averages>> all_;
  std::vector<StateInfo> infos_;
};

}  // namespace lockstep::libtorch
