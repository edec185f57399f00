#include "report/results/merge_ranks.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace lockstep {
namespace {

using Steps = std::vector<StepRecord> RankResult::*;

// `before`: the end of the step before; of this step afterwards.
StepRecord merged_step(const std::vector<RankResult>& ranks, Steps steps, size_t index,
                       Seconds& before) {
  StepRecord merged;
  Seconds phases{};  // of all ranks; not a number if one is unknown
  const double share = 1.0 / static_cast<double>(ranks.size());
  Seconds begin = Seconds::max(), end = Seconds::min();
  for (const RankResult& rank : ranks) {
    const StepRecord& step = (rank.*steps)[index];
    begin = std::min(begin, step.begin);
    end = std::max(end, step.begin + step.duration);
    for (size_t i = 0; i < merged.phases.size(); ++i) merged.phases[i] += step.phases[i];
    for (const Seconds phase : step.phases) phases += phase;
    merged.images += step.images;
    merged.losses.base_loss += share * step.losses.base_loss;
    merged.losses.total_loss += share * step.losses.total_loss;
    merged.losses.top_1_hits += step.losses.top_1_hits;
    merged.losses.top_5_hits += step.losses.top_5_hits;
  }
  merged.begin = std::max(begin, before);
  merged.duration = end - merged.begin;
  const bool known = !std::isnan(phases.count());
  const double all = phases > Seconds{0} ? merged.duration / phases : 0;
  for (Seconds& phase : merged.phases) phase *= known ? all : share;
  before = end;
  return merged;
}

std::vector<StepRecord> merged_steps(const std::vector<RankResult>& ranks, Steps steps,
                                     Seconds& before) {
  std::vector<StepRecord> merged;
  for (size_t i = 0; i < (ranks.front().*steps).size(); ++i) {
    merged.push_back(merged_step(ranks, steps, i, before));
  }
  return merged;
}

}  // namespace

void merge_ranks(RunResult& result, std::vector<RankResult> ranks) {
  assert(!ranks.empty());
  if (ranks.size() == 1) {
    result.warmup_steps = std::move(ranks.front().warmup_steps);
    result.steps = std::move(ranks.front().steps);
    return;
  }
  Seconds end = Seconds::min();
  result.warmup_steps = merged_steps(ranks, &RankResult::warmup_steps, end);
  result.steps = merged_steps(ranks, &RankResult::steps, end);
  if (!result.steps.empty()) {
    std::vector<std::span<const StepRecord>> steps;
    for (const RankResult& rank : ranks) steps.emplace_back(rank.steps);
    result.stragglers = find_stragglers(steps);
  }
  result.ranks = std::move(ranks);
}

}  // namespace lockstep
