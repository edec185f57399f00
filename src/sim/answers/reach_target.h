// reach_target.h: the fewest nodes, and the cheapest strategy, that reach a throughput.
#pragma once

#include <string>
#include <vector>

#include "sim/step/predict.h"

namespace lockstep {

struct Plan {
  std::string strategy;
  int nodes = 0, devices = 0;    // nodes: also those of servers; 0: no number of them reaches it
  double images_per_second = 0;  // there, or the most that is reached
  double cost_per_million = 0;   // images; 0: the cluster has no price
};

// One for each strategy, the best first: fewest nodes, then cost, then speed.
std::vector<Plan> plans_for(const Cluster& cluster, const Workload& workload,
                            const Scenario& scenario, double images_per_second);

// Cost of a million images at this rate; 0 without a price.
double cost_per_million(const Cluster& cluster, int nodes, double images_per_second);

}  // namespace lockstep
