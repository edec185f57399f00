#include "measure/topology.h"

#include <fmt/format.h>
#include <hwloc.h>

namespace lockstep {
namespace {

std::optional<int> count_of(hwloc_topology_t topology, hwloc_obj_type_t type) {
  const int count = hwloc_get_nbobjs_by_type(topology, type);
  return count > 0 ? std::optional(count) : std::nullopt;
}

std::optional<int64_t> cache_bytes(hwloc_topology_t topology, hwloc_obj_type_t type) {
  const hwloc_obj_t cache = hwloc_get_obj_by_type(topology, type, 0);
  if (!cache || cache->attr->cache.size == 0) return {};
  return static_cast<int64_t>(cache->attr->cache.size);
}

}  // namespace

Topology read_topology() {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) return {};
  Topology result;
  if (hwloc_topology_load(topology) == 0) {
    result = {.cores = count_of(topology, HWLOC_OBJ_CORE),
              .hardware_threads = count_of(topology, HWLOC_OBJ_PU),
              .numa_nodes = count_of(topology, HWLOC_OBJ_NUMANODE),
              .l1_bytes = cache_bytes(topology, HWLOC_OBJ_L1CACHE),
              .l2_bytes = cache_bytes(topology, HWLOC_OBJ_L2CACHE),
              .l3_bytes = cache_bytes(topology, HWLOC_OBJ_L3CACHE)};
  }
  hwloc_topology_destroy(topology);
  return result;
}

// Two bytes for the major number, one for the minor, one for the release.
std::string hwloc_version() {
  const unsigned version = hwloc_get_api_version();
  return fmt::format("{}.{}", version >> 16U, (version >> 8U) & 0xffU);
}

}  // namespace lockstep
