#include "sim/model/double_tree.h"

#include <algorithm>
#include <functional>

#include "sim/model/link_rates.h"

namespace lockstep {
namespace {

// A node's number without its lowest set bit is where its subtree hangs: neighbours in number are
// neighbours in the tree, so few edges leave a rack.
int parent_of(int node, int nodes) {
  const int lowest = node & -node;
  const int above = (node ^ lowest) | (lowest << 1);
  return above < nodes ? above : node ^ lowest;
}

void add_tree(int nodes, const std::function<int(int)>& place, std::vector<TreeEdge>& edges) {
  for (int node = 1; node < nodes; ++node) {
    edges.push_back({place(node), place(parent_of(node, nodes))});
  }
}

}  // namespace

std::vector<TreeEdge> double_tree(int nodes) {
  std::vector<TreeEdge> edges;
  add_tree(
      nodes, [](int node) { return node; }, edges);
  // Mirrored, or for an odd number shifted: leaves, which are odd, become even.
  const auto other = [&](int node) {
    return nodes % 2 == 0 ? nodes - 1 - node : (node + 1) % nodes;
  };
  add_tree(nodes, other, edges);
  return edges;
}

double tree_bytes_on_uplink(const Cluster& cluster, int nodes) {
  const int rack = cluster.network.rack_nodes;
  if (rack == 0 || nodes <= rack) return 0;
  const std::vector<int> order = ring_order(cluster, nodes);
  std::vector<int> edges((nodes + rack - 1) / rack);
  for (const TreeEdge& edge : double_tree(nodes)) {
    const int from = order[edge.child] / rack, to = order[edge.parent] / rack;
    if (from == to) continue;
    ++edges[from];  // half of the data up, and half down again: the same both ways
    ++edges[to];
  }
  return 0.5 * std::ranges::max(edges);
}

}  // namespace lockstep
