// known_rates.h: the one-device rates of a cluster file, [images_per_second]: by "resnet50:64", or
// by "resnet50:64:fp16" where they hold for one precision.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/cluster/cluster.h"

namespace lockstep {

struct RateKey {
  std::string model = {};
  int batch = 0;               // 0: the key has none
  std::string precision = {};  // empty: not stated, fp32
};
RateKey rate_key_of(std::string_view key);

// In images per second: that of the precision, else that of no precision.
std::optional<double> known_rate(const Cluster& cluster, const RateKey& wanted);

}  // namespace lockstep
