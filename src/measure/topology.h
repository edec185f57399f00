// topology.h: cores, caches and memory nodes of this machine, as hwloc sees them.
#pragma once

#include <cstdint>
#include <optional>

namespace lockstep {

struct Topology {
  std::optional<int> cores, hardware_threads, numa_nodes;
  std::optional<int64_t> l1_bytes, l2_bytes, l3_bytes;  // of one data cache of each level
};

Topology read_topology();

}  // namespace lockstep
