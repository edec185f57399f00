// place_ranks.h: which rank runs on which host.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launch/hosts.h"

namespace lockstep {

struct PlacementRequest {
  std::optional<int> nodes = {};             // -n; absent: every host
  std::optional<int> workers_per_node = {};  // -g; absent: the host's slots, or 1
  std::optional<int> workers = {};           // in total; absent: as many as fit
  int servers = 0;
  std::optional<int> servers_per_node = {};  // given: servers get the first hosts to themselves
};

struct PlacedRank {
  int rank = 0;  // workers first, then servers
  bool server = false;
  size_t host = 0;

  bool operator==(const PlacedRank&) const = default;
};

// One host per process, as in --worker-hosts and --ps-hosts: "a:2222,b:2222". Entries with the same
// host share it.
struct ListedRanks {
  std::vector<Host> hosts;
  std::vector<PlacedRank> ranks;  // workers first, then servers
  int first_port = 0;             // port of the first entry; 0: none
};
ListedRanks listed_ranks(const std::string& workers, const std::string& servers);

// In the order of ranks. Throws UsageError if there are too few hosts.
std::vector<PlacedRank> place_ranks(const std::vector<Host>& hosts,
                                    const PlacementRequest& request);

}  // namespace lockstep
