// hwloc_hold.h: keeps what hwloc found when it first looked for plugins.
//
// hwloc loads plugins with its first topology and forgets them with its last. While a hold lives,
// later topologies use the plugins that were found when the hold was made.
#pragma once

#include <memory>

namespace lockstep {

using HwlocHold = std::unique_ptr<void, void (*)(void*)>;

HwlocHold hold_hwloc();

}  // namespace lockstep
