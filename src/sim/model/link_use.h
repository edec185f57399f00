// link_use.h: how busy the links of a cluster are during a step.
#pragma once

#include <span>

#include "sim/model/fidelity.h"

namespace lockstep {

// Of the busiest link of each kind: bytes in one direction over what its line rate allows in a
// step. The share is of the line rate, so a transport that reaches 80 % of it never shows more.
LinkUse all_reduce_link_use(const Cluster& cluster, const Scenario& scenario, const Layout& layout,
                            std::span<const PredictedTransfer> transfers, double step);
LinkUse server_link_use(const Cluster& cluster, const Layout& layout, const ServerTraffic& traffic,
                        double step);

}  // namespace lockstep
