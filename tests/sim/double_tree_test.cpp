#include "sim/model/double_tree.h"

#include <gmock/gmock.h>

#include <map>

#include "sim/cluster/cluster_file.h"

namespace lockstep {
namespace {

TEST(DoubleTree, ReachesEveryNodeFromOneRootInBothTrees) {
  for (const int nodes : {2, 3, 5, 8, 13, 64}) {
    const std::vector<TreeEdge> edges = double_tree(nodes);
    ASSERT_EQ(edges.size(), 2u * (nodes - 1));
    for (int tree = 0; tree < 2; ++tree) {
      std::map<int, int> parents;
      for (int i = 0; i < nodes - 1; ++i) {
        const TreeEdge& edge = edges[tree * (nodes - 1) + i];
        EXPECT_TRUE(parents.emplace(edge.child, edge.parent).second) << "one parent each";
      }
      std::map<int, int> roots;
      for (int node = 0; node < nodes; ++node) {
        int at = node, steps = 0;
        while (parents.contains(at) && steps++ < nodes) at = parents[at];
        ++roots[at];
      }
      EXPECT_EQ(roots.size(), 1u) << nodes;
    }
  }
}

TEST(DoubleTree, NoNodeSendsMoreThanTwiceTheData) {
  for (const int nodes : {4, 7, 32, 100}) {
    std::map<int, int> halves;  // sent: up and down
    for (const TreeEdge& edge : double_tree(nodes)) {
      ++halves[edge.child];
      ++halves[edge.parent];
    }
    for (const auto& [node, sent] : halves) EXPECT_LE(sent, 4) << node << " of " << nodes;
  }
}

TEST(DoubleTree, FewEdgesLeaveARack) {
  Cluster cluster =
      read_cluster("nodes = 64\n[network]\nline_gbit = 10\nrack_nodes = 8\n", "t").cluster;
  EXPECT_LE(tree_bytes_on_uplink(cluster, 64), 3);
  EXPECT_EQ(tree_bytes_on_uplink(cluster, 8), 0) << "one rack";
  cluster.network.rank_order = "shuffled";
  EXPECT_GT(tree_bytes_on_uplink(cluster, 64), 6);
}

}  // namespace
}  // namespace lockstep
