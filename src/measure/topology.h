// topology.h: cores, caches and memory nodes of this machine, as hwloc sees them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace lockstep {

struct Topology {
  std::optional<int> cores, hardware_threads, numa_nodes;
  std::optional<int64_t> l1_bytes, l2_bytes, l3_bytes;  // of one data cache of each level
};

Topology read_topology();
std::string hwloc_version();  // of the interface of the library that is loaded: "2.8"

}  // namespace lockstep
