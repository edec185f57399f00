#include "sim/calibrate/measured_jitter.h"

#include <fmt/format.h>

#include <map>

#include "measure/statistics.h"

namespace lockstep {
namespace {

double own_seconds(const StepRecord& step) {
  return (step.duration - step.phase(Phase::Communication)).count();
}

}  // namespace

MeasuredJitter jitter_of(const RunResult& run) {
  std::map<std::string, std::vector<double>> means_by_host;
  std::vector<double> deviations;
  const auto add = [&](const std::string& host, std::span<const StepRecord> steps) {
    std::vector<double> own;
    for (const StepRecord& step : steps) own.push_back(own_seconds(step));
    if (own.size() < 2) return;
    // Robust: one step in which the machine did something else is not jitter.
    deviations.push_back(1.4826 * median_absolute_deviation(own) / median(own));
    means_by_host[host].push_back(median(own));
  };
  for (const RankResult& rank : run.ranks) add(rank.host, rank.steps);
  if (run.ranks.empty()) add("", run.steps);
  if (deviations.empty()) return {};
  std::vector<double> hosts;
  for (const auto& [host, values] : means_by_host) hosts.push_back(mean(values));
  return {.rank = mean(deviations), .node = hosts.size() > 1 ? deviation(hosts) / mean(hosts) : 0};
}

void take_rank_jitter(const RunResult& one_device, Cluster& cluster) {
  constexpr size_t kFewest = 10;
  const size_t steps =
      one_device.ranks.empty() ? one_device.steps.size() : one_device.ranks[0].steps.size();
  if (one_device.facts.devices != 1 || steps < kFewest) return;
  cluster.jitter.rank = jitter_of(one_device).rank;
  EntryNote& note = cluster.notes["jitter.rank"];
  note.kind = EntryKind::Measured;
  note.source = "steps of the profile";
  note.value = fmt::format("{:.3g}", cluster.jitter.rank);
}

}  // namespace lockstep
