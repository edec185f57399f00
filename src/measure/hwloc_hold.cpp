#include "measure/hwloc_hold.h"

#include <hwloc.h>

namespace lockstep {

HwlocHold hold_hwloc() {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) topology = nullptr;
  return {topology,
          [](void* held) { hwloc_topology_destroy(static_cast<hwloc_topology_t>(held)); }};
}

}  // namespace lockstep
