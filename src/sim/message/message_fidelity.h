// message_fidelity.h: every transfer as messages on the cluster's links, by SimGrid.
#pragma once

#include <memory>
#include <string>

#include "sim/model/fidelity.h"

namespace lockstep {

bool has_message_fidelity();    // this build has SimGrid
std::string simgrid_version();  // "3.32"; empty without it

// Throws UsageError if this build has no SimGrid: says how to get it.
std::unique_ptr<Fidelity> message_fidelity(const Cluster& cluster, const Scenario& scenario,
                                           const Layout& layout);

}  // namespace lockstep
