// server_step.h: a step with parameter servers: fetch values, compute, send gradients, agree.
#pragma once

#include "sim/model/fidelity.h"

namespace lockstep {

struct ServerStep {
  double step;  // of one device that computes alone, in seconds
  const Fidelity& fidelity;
};

// Fills forward, backward, exposed, the times of transfers and the hottest server.
void server_step(const Cluster& cluster, const Workload& workload, const Scenario& scenario,
                 const Layout& layout, const ServerStep& alone, Prediction& result);

// Throws UsageError for more servers than nodes.
int servers_in(const Cluster& cluster, const Scenario& scenario, const Layout& layout);

}  // namespace lockstep
