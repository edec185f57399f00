// ready_clusters.h: the built-in clusters. To add one, write ready/<name>.toml.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/cluster/cluster.h"

namespace lockstep {

// What `calibrate` writes, unless told otherwise, and the name under which simulate finds it.
inline constexpr const char* kThisMachine = "this-machine";
inline constexpr const char* kCalibratedFile = "this-machine.toml";

struct ReadyCluster {
  std::string_view name, text;  // text: TOML
};
std::span<const ReadyCluster> ready_clusters();
std::vector<std::string> ready_cluster_names();  // with dashes: "horovod-512"

// By name; from a file if it has a slash; NAME or NAME.toml of `directory`, which comes first if it
// is given; a file that ends in .toml. Throws UsageError with all problems, or with the known
// names.
Cluster load_cluster(const std::string& name_or_file, const std::string& directory = {});

}  // namespace lockstep
