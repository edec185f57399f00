#include "sim/model/collective_cost.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "sim/cluster/hardware_tables.h"
#include "sim/model/double_tree.h"
#include "sim/model/link_rates.h"

namespace lockstep {
namespace {

constexpr double kGiga = 1e9, kMicro = 1e-6;
constexpr double kNoLimit = std::numeric_limits<double>::infinity();

double node_latency(const Cluster& cluster) {
  return kMicro * (cluster.node.latency_us > 0 ? cluster.node.latency_us
                                               : links_of(cluster.node).latency_us);
}

// NCCL since 2.4 has trees beside rings, and takes the faster.
bool may_build_trees(const Cluster& cluster, const Scenario& scenario) {
  return library_of(cluster, scenario) == "nccl" &&
         !version_below(cluster.collectives.version, 2, 4);
}

struct Rates {
  double inside, link;             // bytes per second: in a node, out of a node
  double uplink_share, neighbour;  // of the ring's flow: from its rack's uplink, between two nodes
  double tree_uplink_seconds;      // per byte that is summed in trees, on the busiest uplink
  double hop_inside, hop_between;  // seconds
};

double uplink_share(const Cluster& cluster, const Scenario& scenario, int nodes) {
  const int rack = cluster.network.rack_nodes;
  if (rack == 0 || nodes <= rack) return kNoLimit;
  return uplink_rate(cluster, scenario) / flows_on_uplink(cluster, nodes);
}

double tree_uplink_seconds(const Cluster& cluster, const Scenario& scenario, int nodes) {
  const double bytes = tree_bytes_on_uplink(cluster, nodes);
  return bytes > 0 ? bytes / uplink_rate(cluster, scenario) : 0;
}

Rates rates_of(const Cluster& cluster, const Scenario& scenario, const Layout& layout) {
  const int nodes = layout.nodes;
  return {
      .inside = layout.per_node > 1 ? inside_rate(cluster, scenario, layout.per_node) : kNoLimit,
      .link = nodes > 1 ? node_link_rate(cluster, scenario, nodes) : kNoLimit,
      .uplink_share = uplink_share(cluster, scenario, nodes),
      .neighbour = nodes > 1 ? neighbour_rate(cluster, scenario) : kNoLimit,
      .tree_uplink_seconds = tree_uplink_seconds(cluster, scenario, nodes),
      .hop_inside = node_latency(cluster),
      .hop_between = kMicro * transport_in(cluster, scenario).latency_us};
}

double mean_hop(const Rates& rates, const Layout& layout) {
  if (layout.nodes == 1) return rates.hop_inside;
  return (rates.hop_between + (layout.per_node - 1) * rates.hop_inside) / layout.per_node;
}

CostLine ring(const Rates& rates, const Layout& layout) {
  const double n = layout.ranks;
  const double rate = std::min({rates.inside, rates.link, rates.uplink_share, rates.neighbour});
  return {.seconds_per_byte = 2 * (n - 1) / n / rate,
          .latency = 2 * (n - 1) * mean_hop(rates, layout)};
}

// Rings inside nodes, then every device's part over a ring of nodes: as many rings, and connections
// to the next node, as devices.
CostLine hierarchical(const Rates& rates, const Layout& layout) {
  const double g = layout.per_node, n = layout.nodes;
  const double between = std::min({rates.link, rates.uplink_share, g * rates.neighbour});
  return {.seconds_per_byte = 2 * (g - 1) / g / rates.inside + 2 * (n - 1) / n / between,
          .latency = 2 * (g - 1) * rates.hop_inside + 2 * (n - 1) * rates.hop_between};
}

// Data that the busiest node sends in the two trees, each with half of it: as a leaf up; as an
// inner node up, if it is not the root, and down to its children.
double sent_in_trees(int nodes) { return std::min(2.0, nodes / 2.0); }

// Both halves of the data in a tree of nodes each (double_tree.h). A node's link carries both; so
// does that between neighbours which meet in both.
CostLine tree(const Rates& rates, const Layout& layout) {
  const double depth = std::ceil(std::log2(std::max(2, layout.nodes)));
  return {.seconds_per_byte = std::max({2 / rates.inside, sent_in_trees(layout.nodes) / rates.link,
                                        1 / rates.neighbour, rates.tree_uplink_seconds}),
          .latency = 2 * (depth * rates.hop_between + (layout.per_node - 1) * rates.hop_inside)};
}

CostLine halving_doubling(const Rates& rates, const Layout& layout) {
  const double g = layout.per_node, n = layout.nodes;
  const double between = std::min({rates.link, rates.uplink_share, rates.neighbour});
  return {.seconds_per_byte = 2 * (g - 1) / g / rates.inside + 2 * (n - 1) / n / between,
          .latency = 2 * (std::ceil(std::log2(std::max(2.0, n))) * rates.hop_between +
                          (g - 1) * rates.hop_inside)};
}

// Measured hops are those of a ring with the file's own library and transport.
bool hops_hold(const Cluster& cluster, const Scenario& scenario) {
  const std::string &transport = scenario.transport, &algorithm = scenario.algorithm;
  return (transport.empty() || transport == cluster.network.transport) &&
         (algorithm.empty() || algorithm == "auto" || algorithm == "ring") &&
         own_library(cluster, scenario);
}

CostLine by_algorithm(const std::string& name, const Rates& rates, const Layout& layout) {
  if (layout.nodes == 1) return ring(rates, layout);
  if (name == "hierarchical") return hierarchical(rates, layout);
  if (name == "tree") return tree(rates, layout);
  if (name == "halving_doubling") return halving_doubling(rates, layout);
  return ring(rates, layout);
}

}  // namespace

double CollectiveCost::seconds(double bytes) const {
  if (sizes.empty()) return fixed + (takes_tree(bytes) ? *tree : line).seconds(bytes);
  return fixed + bandwidth_seconds(bytes);
}

const SizeClass& CollectiveCost::size_class(double bytes) const {
  const double chunk = bytes * on_wire / ranks;
  const auto fits = std::ranges::find_if(
      sizes, [&](const SizeClass& each) { return chunk <= each.up_to_mb * 1e6; });
  return fits == sizes.end() ? sizes.back() : *fits;
}

// A ring takes 2 (N - 1) hops for chunks of 1/N.
double CollectiveCost::bandwidth_seconds(double bytes) const {
  if (sizes.empty()) return bytes * (takes_tree(bytes) ? *tree : line).seconds_per_byte;
  const SizeClass& hop = size_class(bytes);
  const double chunk = bytes * on_wire / ranks;
  return 2.0 * (ranks - 1) * (hop.latency_us * kMicro + chunk / (hop.gbyte * kGiga));
}

Layout layout_of(const Cluster& cluster, const Scenario& scenario) {
  if (scenario.devices < 1) {
    throw UsageError("a run needs at least 1 device, not {}", scenario.devices);
  }
  const int most = scenario.per_node > 0 ? scenario.per_node : cluster.devices_per_node;
  const int per_node = std::min(most, scenario.devices);
  const int nodes = (scenario.devices + per_node - 1) / per_node;
  if (per_node > cluster.devices_per_node || nodes > cluster.nodes) {
    throw UsageError("{} devices: cluster {} has {} nodes with {} devices each", scenario.devices,
                     cluster.name, cluster.nodes, cluster.devices_per_node);
  }
  return {.ranks = scenario.devices, .nodes = nodes, .per_node = per_node};
}

double hop_latency(const Cluster& cluster, const Scenario& scenario, const Layout& layout) {
  return mean_hop(rates_of(cluster, scenario, layout), layout);
}

std::string algorithm_of(const Cluster& cluster, const Scenario& scenario) {
  return scenario.algorithm.empty() ? cluster.collectives.algorithm : scenario.algorithm;
}

CollectiveCost collective_cost(const Cluster& cluster, const Scenario& scenario,
                               const Layout& layout) {
  if (layout.ranks == 1) return {};
  const Rates rates = rates_of(cluster, scenario, layout);
  const std::string algorithm = algorithm_of(cluster, scenario);
  CollectiveCost cost{.line = by_algorithm(algorithm, rates, layout)};
  if (algorithm == "auto" && layout.nodes > 1 && may_build_trees(cluster, scenario)) {
    cost.tree = tree(rates, layout);
    cost.tree->seconds_per_byte *= scenario.gradient_scale;
  }
  cost.line.seconds_per_byte *= scenario.gradient_scale;
  cost.fixed = kMicro * cluster.schedule.collective_us;
  cost.on_wire = scenario.gradient_scale;
  cost.ranks = layout.ranks;
  if (layout.nodes > 1 && hops_hold(cluster, scenario)) cost.sizes = cluster.collectives.sizes;
  if (!cost.sizes.empty()) cost.tree.reset();  // hops of a ring were measured
  for (SizeClass& each : cost.sizes) each.gbyte *= scenario.wire_scale;
  return cost;
}

}  // namespace lockstep
