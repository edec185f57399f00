#include "sim/calibrate/seconds_in.h"

#include <vector>

#include "measure/statistics.h"

namespace lockstep {

double seconds_in(const RunResult& run, std::initializer_list<Phase> phases) {
  const auto of_rank = [&](std::span<const StepRecord> steps) {
    std::vector<double> sums;
    for (const StepRecord& step : steps) {
      double& sum = sums.emplace_back(0);
      for (const Phase phase : phases) sum += step.phase(phase).count();
    }
    return sums.empty() ? 0 : median(sums);
  };
  double sum = 0, means = 0;
  for (const RankResult& rank : run.ranks) sum += of_rank(rank.steps) / std::ssize(run.ranks);
  if (run.ranks.empty()) sum = of_rank(run.steps);
  for (const Phase phase : phases) means += run.summary.mean_phases[static_cast<size_t>(phase)];
  return sum > 0 ? sum : means;
}

double computing(const RunResult& run) {
  return seconds_in(run, {Phase::Forward, Phase::Backward});
}

}  // namespace lockstep
