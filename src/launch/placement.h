// placement.h: which rank runs on which host.
#pragma once

#include <vector>

#include "launch/hosts.h"

namespace lockstep {

struct PlacementWish {
  std::optional<int> nodes = {};             // -n; absent: every host
  std::optional<int> workers_per_node = {};  // -g; absent: the host's slots, or 1
  std::optional<int> workers = {};           // in all; absent: as many as fit
  int servers = 0;
  std::optional<int> servers_per_node =
      {};  // given: servers get hosts of their own, the first ones
};

struct PlacedRank {
  int rank = 0;  // workers first, then servers
  bool server = false;
  size_t host = 0;

  bool operator==(const PlacedRank&) const = default;
};

// By rank. Throws UsageError when the hosts are not enough.
std::vector<PlacedRank> place_ranks(const std::vector<Host>& hosts, const PlacementWish& wish);

}  // namespace lockstep
