#include "report/merge_ranks.h"

#include <algorithm>
#include <cassert>

namespace lockstep {
namespace {

using Steps = std::vector<StepRecord> RankResult::*;

StepRecord merged_step(const std::vector<RankResult>& ranks, Steps steps, size_t index) {
  const auto slower = [&](const RankResult& a, const RankResult& b) {
    return (a.*steps)[index].duration < (b.*steps)[index].duration;
  };
  StepRecord merged = ((*std::ranges::max_element(ranks, slower)).*steps)[index];
  merged.images = 0;
  merged.losses = {};
  const double share = 1.0 / static_cast<double>(ranks.size());
  for (const RankResult& rank : ranks) {
    const StepRecord& step = (rank.*steps)[index];
    merged.begin = std::min(merged.begin, step.begin);
    merged.images += step.images;
    merged.losses.base_loss += share * step.losses.base_loss;
    merged.losses.total_loss += share * step.losses.total_loss;
    merged.losses.top_1_hits += step.losses.top_1_hits;
    merged.losses.top_5_hits += step.losses.top_5_hits;
  }
  return merged;
}

std::vector<StepRecord> merged_steps(const std::vector<RankResult>& ranks, Steps steps) {
  std::vector<StepRecord> merged;
  for (size_t i = 0; i < (ranks.front().*steps).size(); ++i) {
    merged.push_back(merged_step(ranks, steps, i));
  }
  return merged;
}

}  // namespace

void merge_ranks(RunResult& result, std::vector<RankResult> ranks) {
  assert(!ranks.empty());
  result.warmup_steps = merged_steps(ranks, &RankResult::warmup_steps);
  result.steps = merged_steps(ranks, &RankResult::steps);
  if (ranks.size() == 1) return;
  if (!result.steps.empty()) {
    std::vector<std::span<const StepRecord>> steps;
    for (const RankResult& rank : ranks) steps.emplace_back(rank.steps);
    result.stragglers = find_stragglers(steps);
  }
  result.ranks = std::move(ranks);
}

}  // namespace lockstep
