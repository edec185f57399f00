// cluster_file.h: reads cluster files (TOML); docs/simulating.md describes the keys.
//
// A value is written plainly, or with its origin: { value = 25, stated = "README of 2017-09" }.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/cluster/cluster.h"

namespace lockstep {

struct ReadCluster {
  Cluster cluster;
  std::vector<std::string> problems;  // "file:line: ..."; empty: the cluster can be simulated
};

// `source`: how problems name the file.
ReadCluster read_cluster(std::string_view text, const std::string& source);

// The keys that a file may have, for documentation and tests.
std::vector<std::string> cluster_keys();

}  // namespace lockstep
