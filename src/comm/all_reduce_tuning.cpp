#include "comm/all_reduce_tuning.h"

#include <algorithm>
#include <cassert>
#include <optional>

namespace lockstep {
namespace {

constexpr double kWorthARule = 0.95;  // of the time that the algorithm before it takes

size_t fastest(const AlgorithmTimes& times) {
  return static_cast<size_t>(std::min_element(times.seconds.begin(), times.seconds.end()) -
                             times.seconds.begin());
}

}  // namespace

std::vector<SizeWinner> winners_by_size(const std::vector<std::string>& algorithms,
                                        const std::vector<AlgorithmTimes>& measured) {
  std::vector<SizeWinner> winners;
  for (const AlgorithmTimes& times : measured) {
    const size_t first = fastest(times);
    SizeWinner& winner =
        winners.emplace_back(SizeWinner{.bytes = times.bytes, .fastest = algorithms[first]});
    std::optional<size_t> second;
    for (size_t i = 0; i < times.seconds.size(); ++i) {
      if (i != first && (!second || times.seconds[i] < times.seconds[*second])) second = i;
    }
    if (!second) continue;
    winner.second = algorithms[*second];
    winner.lead = times.seconds[*second] / times.seconds[first];
  }
  return winners;
}

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
