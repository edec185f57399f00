#include "comm/all_reduce_tuning.h"

#include <algorithm>
#include <cassert>

namespace lockstep {
namespace {

constexpr double kWorthARule = 0.95;  // of the time that the algorithm before it takes

size_t fastest(const AlgorithmTimes& times) {
  return static_cast<size_t>(std::min_element(times.seconds.begin(), times.seconds.end()) -
                             times.seconds.begin());
}

}  // namespace

AllReduceRules fastest_rules(const std::vector<std::string>& algorithms,
                             const std::vector<AlgorithmTimes>& measured) {
  assert(!measured.empty());
  AllReduceRules rules;
  size_t current = fastest(measured.front());
  for (size_t i = 0; i < measured.size(); ++i) {
    const size_t best = fastest(measured[i]);
    if (measured[i].seconds[best] >= kWorthARule * measured[i].seconds[current]) continue;
    rules.push_back({.up_to_bytes = measured[i - 1].bytes, .algorithm = algorithms[current]});
    current = best;
  }
  rules.push_back({.algorithm = algorithms[current]});
  return rules;
}

}  // namespace lockstep
