#include "measure/stragglers.h"

#include <algorithm>
#include <cmath>

#include "measure/statistics.h"

namespace lockstep {
namespace {

double own_time(const StepRecord& step) {
  return (step.duration - step.phase(Phase::Communication)).count();
}

}  // namespace

std::vector<Straggler> find_stragglers(std::span<const std::span<const StepRecord>> steps) {
  std::vector<Straggler> ranks(steps.size());
  std::vector<int> times_slowest(steps.size());
  std::vector<double> own(steps.size());
  const size_t count = steps.front().size();
  for (size_t step = 0; step < count; ++step) {
    for (size_t rank = 0; rank < steps.size(); ++rank) own[rank] = own_time(steps[rank][step]);
    if (std::ranges::any_of(own, [](double time) { return std::isnan(time); })) return {};
    const size_t slowest =
        static_cast<size_t>(std::max_element(own.begin(), own.end()) - own.begin());
    ++times_slowest[slowest];
    ranks[slowest].mean_late += own[slowest] - median(own);
  }
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    ranks[rank].rank = static_cast<int>(rank);
    if (times_slowest[rank] == 0) continue;
    ranks[rank].slowest_fraction = times_slowest[rank] / static_cast<double>(count);
    ranks[rank].mean_late /= times_slowest[rank];
  }
  return ranks;
}

}  // namespace lockstep
