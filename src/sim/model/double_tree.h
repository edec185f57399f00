// double_tree.h: the two binary trees over nodes in which NCCL sums large messages.
//
// Each tree carries half of the data, up to its root and down again. What is a leaf in one tree has
// children in the other, so that every node sends and receives about twice the data.
#pragma once

#include <vector>

#include "sim/cluster/cluster.h"

namespace lockstep {

struct TreeEdge {
  int child = 0, parent = 0;  // nodes
};
std::vector<TreeEdge> double_tree(int nodes);  // the edges of both

// Bytes over the busiest uplink of a rack in either direction, for each byte that is summed; 0
// without racks.
double tree_bytes_on_uplink(const Cluster& cluster, int nodes);

}  // namespace lockstep
