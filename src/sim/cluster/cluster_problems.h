// cluster_problems.h: what makes a cluster impossible to simulate.
#pragma once

#include <string>
#include <vector>

#include "sim/cluster/cluster.h"

namespace lockstep {

// One line each, with file and line of the entry; empty: none.
std::vector<std::string> problems_in(const Cluster& cluster);

}  // namespace lockstep
