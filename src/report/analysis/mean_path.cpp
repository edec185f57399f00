#include "report/analysis/mean_path.h"

#include <algorithm>
#include <map>
#include <utility>

namespace lockstep {
namespace {

double cost_of(const LateRank& late) { return late.fraction * late.seconds; }

// Whether `value` is the largest so far, which it becomes.
bool raises(double& most, double value) {
  const bool more = value > most;
  if (more) most = value;
  return more;
}

// In another launch a rank may run on another host.
std::vector<LateRank> mean_late(std::span<const PathSummary> launches) {
  std::map<std::pair<int, std::string>, LateRank> ranks;
  std::map<std::pair<int, std::string>, double> most;
  for (const PathSummary& launch : launches) {
    for (const LateRank& each : launch.late) {
      if (!(cost_of(each) >= 0)) continue;  // a file of somebody else's may hold anything
      const auto name = std::pair(each.rank, each.host);
      LateRank& sum =
          ranks.try_emplace(name, LateRank{.rank = each.rank, .host = each.host}).first->second;
      sum.fraction += each.fraction;
      sum.seconds += cost_of(each);
      if (raises(most[name], cost_of(each))) sum.where = each.where;
    }
  }
  std::vector<LateRank> list;
  for (auto& [name, sum] : ranks) {
    if (sum.fraction > 0) sum.seconds /= sum.fraction;
    sum.fraction /= static_cast<double>(launches.size());
    list.push_back(std::move(sum));
  }
  std::ranges::sort(list, std::greater<>(), cost_of);
  return list;
}

std::vector<ServerWait> mean_servers(std::span<const PathSummary> launches) {
  std::map<int, ServerWait> servers;
  std::map<int, double> most;
  for (const PathSummary& launch : launches) {
    for (const ServerWait& each : launch.servers) {
      if (!(each.seconds >= 0)) continue;
      ServerWait& sum = servers[each.server];
      sum.server = each.server;
      sum.seconds += each.seconds / static_cast<double>(launches.size());
      if (raises(most[each.server], each.seconds)) sum.variable = each.variable;
    }
  }
  std::vector<ServerWait> list;
  for (auto& [server, sum] : servers) list.push_back(std::move(sum));
  std::ranges::sort(list, std::greater<>(), &ServerWait::seconds);
  return list;
}

}  // namespace

PathSummary mean_path(std::span<const PathSummary> launches) {
  if (launches.empty()) return {};
  PathSummary mean = launches.front();  // its number of steps and of bytes
  const double count = static_cast<double>(launches.size());
  mean.parts = {};
  mean.transfer_seconds = 0;
  for (const PathSummary& launch : launches) {
    for (size_t part = 0; part < mean.parts.size(); ++part) {
      mean.parts[part] += launch.parts[part] / count;
    }
    mean.transfer_seconds += launch.transfer_seconds / count;
  }
  mean.late = mean_late(launches);
  mean.servers = mean_servers(launches);
  mean.servers_measured = std::ranges::all_of(launches, &PathSummary::servers_measured);
  return mean;
}

}  // namespace lockstep
