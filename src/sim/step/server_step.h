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

// Nodes that can compute: all, or those that servers on nodes of their own leave. 0: none.
int worker_nodes(const Cluster& cluster, const Scenario& scenario);

// What one step sends to servers, and when.
struct SentToServers {
  std::vector<ServerSlice> slices;
  int servers = 1, workers = 1, workers_per_node = 1;
  double hot_share = 0;  // of all bytes, on the fullest server

  ServerTraffic traffic() const {  // borrows the slices
    return {.slices = slices,
            .servers = servers,
            .workers = workers,
            .workers_per_node = workers_per_node};
  }
};
struct ComputeTimes {
  double forward = 0, backward = 0;  // seconds
};
SentToServers sent_to_servers(const Cluster& cluster, const Workload& workload,
                              const Scenario& scenario, const Layout& layout,
                              const ComputeTimes& times);

}  // namespace lockstep
