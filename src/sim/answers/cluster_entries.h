// cluster_entries.h: what a cluster is taken to be: the entries of its file, and all others by
// default.
#pragma once

#include <string>
#include <vector>

#include "sim/cluster/cluster.h"

namespace lockstep {

struct ClusterEntry {
  std::string key, value;
  std::string origin;  // stated, measured, assumed, or default
  std::string source;  // of a default its reason, where a table has one
};

// In the order of docs/simulating.md. Of transports, the network's and those in the file.
std::vector<ClusterEntry> entries_of(const Cluster& cluster);

}  // namespace lockstep
