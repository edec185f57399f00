#include "launch/place_ranks.h"

#include "base/error.h"
#include "base/text.h"

namespace lockstep {
namespace {

// Number of leading hosts that run only servers.
int server_hosts(const PlacementRequest& request) {
  if (!request.servers_per_node || request.servers == 0) return 0;
  return (request.servers + *request.servers_per_node - 1) / *request.servers_per_node;
}

std::vector<size_t> worker_hosts(const std::vector<Host>& hosts, const PlacementRequest& request) {
  const int first = server_hosts(request), there = static_cast<int>(hosts.size());
  const int nodes = request.nodes.value_or(there - first);
  if (first >= there || first + nodes > there) {
    const std::string listed = count_text(there, "host");
    if (first == 0) {
      throw UsageError("--nodes {}: only {} listed; use --nodes {}, or list more hosts", nodes,
                       listed, there);
    }
    throw UsageError("{} on {} of their own, and {} for workers: only {} listed; list more hosts",
                     count_text(request.servers, "server"), count_text(first, "host"),
                     count_text(std::max(nodes, 1), "host"), listed);
  }
  std::vector<size_t> chosen;
  for (int host = first; host < first + nodes; ++host) chosen.push_back(static_cast<size_t>(host));
  return chosen;
}

}  // namespace

std::vector<PlacedRank> place_ranks(const std::vector<Host>& hosts,
                                    const PlacementRequest& request) {
  const std::vector<size_t> chosen = worker_hosts(hosts, request);
  std::vector<PlacedRank> ranks;
  for (const size_t host : chosen) {
    const int here = request.workers_per_node.value_or(hosts[host].slots.value_or(1));
    for (int i = 0; i < here && static_cast<int>(ranks.size()) < request.workers.value_or(1 << 30);
         ++i) {
      ranks.push_back({.rank = static_cast<int>(ranks.size()), .server = false, .host = host});
    }
  }
  std::vector<size_t> with_workers;
  for (const PlacedRank& rank : ranks) {
    if (with_workers.empty() || with_workers.back() != rank.host) with_workers.push_back(rank.host);
  }
  const int workers = static_cast<int>(ranks.size());
  if (workers < request.workers.value_or(workers)) {
    throw UsageError("{} workers requested, but {} for {}", *request.workers,
                     chosen.size() == 1 ? "one host has slots"
                                        : fmt::format("{} hosts have slots", chosen.size()),
                     workers);
  }
  for (int server = 0; server < request.servers; ++server) {
    const size_t host = request.servers_per_node
                            ? static_cast<size_t>(server / *request.servers_per_node)
                            : with_workers[server % with_workers.size()];
    ranks.push_back({.rank = workers + server, .server = true, .host = host});
  }
  return ranks;
}

namespace {

struct Entry {
  Host host;
  int port = 0;
};

// "host", "host:port", "[address]:port".
Entry parse_entry(const std::string& text, const std::string& option) {
  if (text.empty()) throw UsageError("{}: empty entry; remove the extra comma", option);
  const size_t begin = text.find('['), end = text.find(']');
  const bool bracketed = begin < end && end != std::string::npos;
  const size_t colon = text.find(':', bracketed ? end : 0);
  std::string host = text.substr(0, colon);
  if (bracketed) host = text.substr(0, begin) + text.substr(begin + 1, end - begin - 1);
  if (colon == std::string::npos) return {parse_hosts(host, option).front(), 0};
  const auto port = whole_number(text.substr(colon + 1));
  if (!port || *port < 0 || *port > 65535) {
    throw UsageError("{}: '{}' is not HOST or HOST:PORT", option, text);
  }
  return {parse_hosts("[" + host + "]", option).front(), static_cast<int>(*port)};
}

}  // namespace

ListedRanks listed_ranks(const std::string& workers, const std::string& servers) {
  ListedRanks places;
  const auto add = [&](const std::string& list, const std::string& option, bool server) {
    if (list.empty()) return;
    for (const std::string& text : split(list, ',')) {
      const Entry entry = parse_entry(text, option);
      if (places.ranks.empty()) places.first_port = entry.port;
      size_t host = 0;
      while (host < places.hosts.size() && places.hosts[host].name != entry.host.name) ++host;
      if (host == places.hosts.size()) places.hosts.push_back(entry.host);
      places.ranks.push_back(
          {.rank = static_cast<int>(places.ranks.size()), .server = server, .host = host});
    }
  };
  add(workers, "--worker-hosts", false);
  add(servers, "--ps-hosts", true);
  return places;
}

}  // namespace lockstep
