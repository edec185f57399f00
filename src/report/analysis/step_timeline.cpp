#include "report/analysis/step_timeline.h"

#include <algorithm>
#include <cmath>

#include "measure/statistics.h"

namespace lockstep {
namespace {

size_t typical_step(const RunResult& result) {
  const std::vector<double> times = durations(result.steps);
  const double middle = median(times);
  const auto off = [&](double time) { return std::abs(time - middle); };
  return static_cast<size_t>(std::ranges::min_element(times, {}, off) - times.begin());
}

// Phases are sums, so their order is that of a step. With servers, workers wait before forward.
std::vector<Phase> order_of(bool servers) {
  if (servers) {
    return {Phase::Input,    Phase::Communication, Phase::Forward,
            Phase::Backward, Phase::Update,        Phase::Between};
  }
  return {Phase::Input,         Phase::Forward, Phase::Backward,
          Phase::Communication, Phase::Update,  Phase::Between};
}

std::vector<TimelineBlock> blocks_of(const StepRecord& step, double start, bool servers) {
  std::vector<TimelineBlock> blocks;
  double at = step.begin.count() - start;
  for (const Phase phase : order_of(servers)) {
    const double length = step.phase(phase).count();
    if (length > 0) blocks.push_back({phase, at, at + length});
    at += std::max(length, 0.0);
  }
  return blocks;
}

}  // namespace

size_t StepTimeline::records() const {
  size_t count = path.size();
  for (const TimelineRank& rank : ranks) count += rank.blocks.size() + rank.transfers.size();
  return count;
}

std::optional<StepTimeline> timeline_of(const RunResult& result) {
  const size_t fewest = result.simulated() ? 1 : 2;
  if (result.ranks.size() < fewest || !has_path(result)) return {};
  const StepRecords records(result);
  const size_t step = typical_step(result);
  const double start = result.steps[step].begin.count();
  StepTimeline line = {
      .step = step, .seconds = result.steps[step].duration.count(), .transfers = result.transfers};
  for (int rank = 0; rank < records.ranks(); ++rank) {
    TimelineRank row = {
        .rank = rank,
        .host = result.ranks[static_cast<size_t>(rank)].host,
        .blocks = blocks_of(records.step(rank, step), start, result.facts.servers > 0)};
    const auto transfers = records.transfers(rank, step);
    for (size_t i = 0; i < transfers.size(); ++i) {
      if (transfers[i].end <= Seconds{0}) continue;
      row.transfers.push_back({i, transfers[i].ready.count() - start,
                               transfers[i].begin.count() - start,
                               transfers[i].end.count() - start});
    }
    line.ranks.push_back(std::move(row));
  }
  line.path = walk_step(records, step).segments;
  for (PathSegment& each : line.path) {
    each.begin -= Seconds(start);
    each.end -= Seconds(start);
  }
  return line;
}

}  // namespace lockstep
