#include "sim/cluster/known_rates.h"

#include <fmt/format.h>

#include "base/text.h"

namespace lockstep {

RateKey rate_key_of(std::string_view key) {
  constexpr int64_t kMostImages = 10'000'000;
  const std::vector<std::string> parts = split(key, ':');
  const bool complete = parts.size() == 2 || (parts.size() == 3 && !parts[2].empty());
  const int64_t batch = complete ? whole_number(parts[1]).value_or(0) : 0;
  return {.model = parts.empty() ? "" : parts[0],
          .batch = batch > 0 && batch <= kMostImages ? static_cast<int>(batch) : 0,
          .precision = parts.size() == 3 ? parts[2] : ""};
}

std::optional<double> known_rate(const Cluster& cluster, const RateKey& wanted) {
  const std::string plain = fmt::format("{}:{}", wanted.model, wanted.batch);
  const std::string precision = wanted.precision.empty() ? "fp32" : wanted.precision;
  for (const std::string& key : {plain + ":" + precision, plain}) {
    const auto known = cluster.images_per_second.find(key);
    if (known != cluster.images_per_second.end()) return known->second;
  }
  return std::nullopt;
}

}  // namespace lockstep
