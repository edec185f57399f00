#include "run/framework/same_network.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace lockstep {

double same_losses(const Framework& framework, std::span<const double> native,
                   std::span<const double> theirs) {
  double largest = native.size() == theirs.size() ? 0 : 1;
  for (size_t i = 0; i < std::min(native.size(), theirs.size()); ++i) {
    const double difference = std::fabs(theirs[i] - native[i]) / std::fabs(native[i]);
    largest = std::max(largest, std::isfinite(difference) ? difference : 1);
  }
  if (largest > kSameLoss) {
    throw Error(
        "{} does not train the same network: losses of the first steps are {:.6g} there and "
        "{:.6g} here",
        framework.title, fmt::join(theirs, ", "), fmt::join(native, ", "));
  }
  return largest;
}

void require_same_size(const Framework& framework, const RunFacts& facts,
                       const NetworkEvent& network) {
  const auto require = [&](const char* what, int64_t there, int64_t here) {
    if (there == here) return;
    throw Error("{} does not train the same network: {} {} there, {} here", framework.title, there,
                what, here);
  };
  require("parameters", network.parameters, facts.parameters);
  if (network.forward_macs) require("multiply-adds", *network.forward_macs, facts.forward_macs);
}

}  // namespace lockstep
