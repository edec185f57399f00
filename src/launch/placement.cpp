#include "launch/placement.h"

#include "base/error.h"

namespace lockstep {
namespace {

// Hosts at the front that only serve.
int server_hosts(const PlacementWish& wish) {
  if (!wish.servers_per_node || wish.servers == 0) return 0;
  return (wish.servers + *wish.servers_per_node - 1) / *wish.servers_per_node;
}

std::vector<size_t> worker_hosts(const std::vector<Host>& hosts, const PlacementWish& wish) {
  const int first = server_hosts(wish), there = static_cast<int>(hosts.size());
  const int nodes = wish.nodes.value_or(there - first);
  if (first >= there || first + nodes > there) {
    throw UsageError("{} hosts are not enough: {} for servers and {} for workers are wanted", there,
                     first, std::max(nodes, 1));
  }
  std::vector<size_t> chosen;
  for (int host = first; host < first + nodes; ++host) chosen.push_back(static_cast<size_t>(host));
  return chosen;
}

}  // namespace

std::vector<PlacedRank> place_ranks(const std::vector<Host>& hosts, const PlacementWish& wish) {
  const std::vector<size_t> chosen = worker_hosts(hosts, wish);
  std::vector<PlacedRank> ranks;
  for (const size_t host : chosen) {
    const int here = wish.workers_per_node.value_or(hosts[host].slots.value_or(1));
    for (int i = 0; i < here && static_cast<int>(ranks.size()) < wish.workers.value_or(1 << 30);
         ++i) {
      ranks.push_back({.rank = static_cast<int>(ranks.size()), .server = false, .host = host});
    }
  }
  const int workers = static_cast<int>(ranks.size());
  if (workers < wish.workers.value_or(workers)) {
    throw UsageError("{} workers are wanted, and {} hosts have places for {}", *wish.workers,
                     chosen.size(), workers);
  }
  for (int server = 0; server < wish.servers; ++server) {
    const size_t host = wish.servers_per_node ? static_cast<size_t>(server / *wish.servers_per_node)
                                              : chosen[static_cast<size_t>(server) % chosen.size()];
    ranks.push_back({.rank = workers + server, .server = true, .host = host});
  }
  return ranks;
}

}  // namespace lockstep
