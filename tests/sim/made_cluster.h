// made_cluster.h: a cluster and runs on it, for tests of predictions and of what is made of them.
#pragma once

#include <string>

#include "sim/answers/what_if.h"
#include "sim/cluster/cluster_file.h"

namespace lockstep {

inline Cluster small_cluster() {
  return read_cluster(
             "nodes = 64\ndevices_per_node = 4\nprice_per_node_hour = 3\n[network]\nline_gbit = "
             "25\ntransport = \"rdma\"\n",
             "small")
      .cluster;
}

inline Scenario run_of(const std::string& strategy, int devices) {
  Scenario scenario{.batch = 64, .one_device_step = 0.3, .devices = devices};
  set_strategy(strategy, scenario);
  return scenario;
}

}  // namespace lockstep
