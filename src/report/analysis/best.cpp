#include "report/analysis/best.h"

#include <algorithm>
#include <map>

namespace lockstep {
namespace {

CompareSide side_of(const Configuration& each, std::span<const StoredRun> runs,
                    const std::string& label) {
  CompareSide side = {.label = label, .runs = {}};
  for (const size_t place : each.launches) side.runs.push_back(runs[place].result);
  return side;
}

}  // namespace

std::vector<BestRow> best_of(const ScalingReport& report, std::span<const StoredRun> runs,
                             double threshold) {
  std::map<std::pair<std::string, int>, std::vector<size_t>> groups;
  for (size_t i = 0; i < report.configurations.size(); ++i) {
    const Configuration& each = report.configurations[i];
    if (each.speed && !each.simulated) groups[{each.config.model, each.devices}].push_back(i);
  }
  const auto rate = [&](size_t i) { return report.configurations[i].speed->images_per_second; };
  std::vector<BestRow> rows;
  for (auto& [group, members] : groups) {
    std::ranges::sort(members, std::greater<>(), rate);
    BestRow& row = rows.emplace_back(
        BestRow{.model = group.first, .devices = group.second, .best = members.front()});
    if (members.size() < 2) continue;
    row.runner_up = members[1];
    const CompareSide sides[] = {side_of(report.configurations[row.best], runs, "best"),
                                 side_of(report.configurations[members[1]], runs, "runner-up")};
    row.difference = compare(sides, threshold).comparisons.front();
  }
  return rows;
}

}  // namespace lockstep
