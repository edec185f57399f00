#include "report/analysis/verdicts.h"

#include <algorithm>
#include <map>

namespace lockstep {
namespace {

double rate_of(const ScalingReport& report, size_t i) {
  return report.configurations[i].speed->images_per_second;
}

// Fastest first, without what failed or was simulated.
std::vector<size_t> measured_in(const ScalingReport& report, std::vector<size_t> members) {
  std::erase_if(members, [&](size_t i) {
    return !report.configurations[i].speed || report.configurations[i].simulated;
  });
  std::ranges::stable_sort(members, std::greater<>(), [&](size_t i) { return rate_of(report, i); });
  return members;
}

// Raw files are read where there is one launch, which is compared by its steps.
std::vector<CompareSide> sides_of(const ScalingReport& report, const RunCollection& collection,
                                  std::span<const size_t> members) {
  const bool single = std::ranges::all_of(
      members, [&](size_t i) { return report.configurations[i].launches.size() == 1; });
  std::vector<CompareSide> sides;
  for (const size_t i : members) {
    sides.push_back(side_of(collection, report.configurations[i].launches, "", single));
  }
  return sides;
}

VerdictGroup group_of(const GroupedAxes& grouped, const AxisGroup& group,
                      const ScalingReport& report, const RunCollection& collection,
                      double threshold) {
  const std::vector<size_t> members = measured_in(report, group.members);
  const std::vector<CompareSide> sides = sides_of(report, collection, members);
  const auto& labels = grouped.axes.front().of;
  VerdictGroup result = {.heading = grouped.heading(group), .pairs = {}};
  std::vector<ComparePair> pairs;
  for (size_t i = 0; i < members.size(); ++i) {
    for (size_t j = i + 1; j < members.size(); ++j) {
      pairs.push_back({.base = sides[j], .other = sides[i]});
      result.pairs.push_back(
          {.faster = labels[members[i]], .slower = labels[members[j]], .difference = {}});
    }
  }
  const std::vector<Comparison> found = compare_pairs(pairs, threshold);
  for (size_t i = 0; i < found.size(); ++i) result.pairs[i].difference = found[i];
  return result;
}

}  // namespace

AxisVerdicts verdicts_along(const std::string& axis, const ScalingReport& report,
                            const RunCollection& collection, double threshold) {
  const GroupedAxes grouped = group_by_axes(report, std::span(&axis, 1));
  AxisVerdicts result = {.axis = axis, .groups = {}};
  for (const AxisGroup& group : grouped.groups) {
    VerdictGroup found = group_of(grouped, group, report, collection, threshold);
    if (!found.pairs.empty()) result.groups.push_back(std::move(found));
  }
  return result;
}

std::vector<Ranking> rankings_of(const ScalingReport& report, const RunCollection& collection,
                                 double threshold, size_t most) {
  std::map<std::pair<std::string, int>, std::vector<size_t>> groups;
  for (size_t i = 0; i < report.configurations.size(); ++i) {
    const Configuration& each = report.configurations[i];
    groups[{each.config.model, each.devices}].push_back(i);
  }
  std::vector<Ranking> rankings;
  for (const auto& [group, all] : groups) {
    std::vector<size_t> members = measured_in(report, all);
    if (members.size() < 2) continue;
    const size_t shown = std::min(members.size(), most);
    Ranking& ranking = rankings.emplace_back(
        Ranking{.model = group.first, .devices = group.second, .left_out = members.size() - shown});
    members.resize(shown);
    const std::vector<CompareSide> sides = sides_of(report, collection, members);
    std::vector<ComparePair> pairs;
    for (size_t i = 1; i < shown; ++i) pairs.push_back({.base = sides[0], .other = sides[i]});
    const std::vector<Comparison> found = compare_pairs(pairs, threshold);
    ranking.rows.push_back({.configuration = members[0]});
    for (size_t i = 1; i < shown; ++i) {
      ranking.rows.push_back({.configuration = members[i], .difference = found[i - 1]});
    }
  }
  return rankings;
}

std::vector<Ranking> alternatives_in(const ScalingReport& report, const RunCollection& collection,
                                     double threshold) {
  if (report.scales()) return {};
  return rankings_of(report, collection, threshold);
}

}  // namespace lockstep
