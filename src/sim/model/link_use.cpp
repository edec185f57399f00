#include "sim/model/link_use.h"

#include <algorithm>

#include "sim/model/double_tree.h"
#include "sim/model/link_rates.h"

namespace lockstep {
namespace {

// Bytes in one direction during a step.
struct LinkBytes {
  double node = 0, uplink = 0, inside = 0;
};

double line_rate(const Cluster& cluster) {
  return cluster.network.line_gbit * cluster.network.interfaces / 8 * 1e9;
}

LinkUse use_of(const Cluster& cluster, const Layout& layout, const LinkBytes& bytes, double step) {
  const auto part = [&](double sent, double rate) {
    return sent > 0 && rate > 0 ? std::min(1.0, sent / rate / step) : 0;
  };
  const NetworkLinks& network = cluster.network;
  const double line = line_rate(cluster);
  return {.node = part(bytes.node, line),
          .uplink = part(bytes.uplink, line * network.rack_nodes / network.oversubscription),
          .inside = layout.per_node > 1
                        ? part(bytes.inside, node_ring_rate(cluster, layout.per_node))
                        : 0};
}

// Sent over each kind of link for every byte that is reduced.
LinkBytes per_byte(const Cluster& cluster, const Layout& layout, const std::string& algorithm) {
  const double n = layout.nodes, g = layout.per_node, ranks = layout.ranks;
  const double flows = n > cluster.network.rack_nodes ? flows_on_uplink(cluster, layout.nodes) : 0;
  if (algorithm == "tree") {
    return {.node = 2, .uplink = tree_bytes_on_uplink(cluster, layout.nodes), .inside = 2};
  }
  const double around = 2 * (ranks - 1) / ranks;
  if (algorithm == "ring" || layout.nodes == 1) {
    return {.node = layout.nodes > 1 ? around : 0, .uplink = flows * around, .inside = around};
  }
  const double between = 2 * (n - 1) / n;
  return {.node = between, .uplink = flows * between, .inside = 2 * (g - 1) / g};
}

}  // namespace

LinkUse all_reduce_link_use(const Cluster& cluster, const Scenario& scenario, const Layout& layout,
                            std::span<const PredictedTransfer> transfers, double step) {
  const CollectiveCost cost = collective_cost(cluster, scenario, layout);
  const std::string algorithm = algorithm_of(cluster, scenario);
  LinkBytes sum;
  for (const PredictedTransfer& each : transfers) {
    const std::string one = algorithm != "auto"           ? algorithm
                            : cost.takes_tree(each.bytes) ? "tree"
                                                          : "ring";
    const LinkBytes bytes = per_byte(cluster, layout, one);
    const double sent = each.bytes * scenario.gradient_scale;
    sum.node += sent * bytes.node;
    sum.uplink += sent * bytes.uplink;
    sum.inside += sent * bytes.inside;
  }
  return use_of(cluster, layout, sum, step);
}

// A server's node sends values to all workers elsewhere; its own workers send their gradients to
// servers elsewhere. What comes in is as much.
LinkUse server_link_use(const Cluster& cluster, const Layout& layout, const ServerTraffic& traffic,
                        double step) {
  if (layout.nodes == 1 && cluster.servers.on_workers) return {};
  const int rack = cluster.network.rack_nodes;
  const int first_server = cluster.servers.on_workers ? 0 : layout.nodes;
  const int nodes = std::max(layout.nodes, first_server + traffic.servers);
  std::vector<double> held(nodes), workers(nodes);
  double total = 0;
  for (const ServerSlice& slice : traffic.slices) {
    held[first_server + slice.server] += slice.bytes;
    total += slice.bytes;
  }
  for (int i = 0; i < traffic.workers; ++i) ++workers[i / traffic.workers_per_node];
  const auto sent = [&](double bytes, double inside) {
    return bytes * (traffic.workers - inside) + (total - bytes) * inside;
  };
  LinkBytes most;
  for (int i = 0; i < nodes; ++i) most.node = std::max(most.node, sent(held[i], workers[i]));
  for (int begin = 0; rack > 0 && layout.nodes > rack && begin < nodes; begin += rack) {
    double bytes = 0, inside = 0;
    for (int i = begin; i < std::min(nodes, begin + rack); ++i) {
      bytes += held[i];
      inside += workers[i];
    }
    most.uplink = std::max(most.uplink, sent(bytes, inside));
  }
  return use_of(cluster, layout, most, step);
}

}  // namespace lockstep
