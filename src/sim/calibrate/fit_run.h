// fit_run.h: what one measured run on several devices says about a cluster.
//
// A run is slower than predicted because of its network, or because of late ranks. On one node the
// network is what links its devices. The rate of the network is identified only where the step
// waits for it; where communication is hidden, the same run says nothing about the network, and the
// difference is jitter.
#pragma once

#include <string>

#include "sim/model/scenario.h"

namespace lockstep {

struct RunFit {
  enum class What { Nothing, Network, Jitter } what = What::Nothing;
  double wire_scale = 1;    // of the network's rate
  double inside_scale = 1;  // on one node: of the rate inside it
  double jitter = 0;        // replaces the cluster's, of nodes
  bool of_ranks = false;    // on one node: of ranks

  std::string words() const;  // "the network reaches 0.64 of the file's rate"
};

RunFit fit_run(const Cluster& cluster, const Workload& workload, const Scenario& scenario,
               double images_per_second);

void apply(const RunFit& fit, Cluster& cluster, Scenario& scenario);

}  // namespace lockstep
