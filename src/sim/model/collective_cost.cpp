#include "sim/model/collective_cost.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "base/random.h"
#include "sim/cluster/hardware_tables.h"
#include "sim/model/double_tree.h"
#include "sim/model/expected_largest.h"

namespace lockstep {
namespace {

constexpr double kGiga = 1e9, kMicro = 1e-6, kBits = 8;

std::string_view library_of(const Cluster& cluster, const Scenario& scenario) {
  return scenario.library.empty() ? std::string_view(cluster.collectives.library)
                                  : std::string_view(scenario.library);
}

const Transport& transport_in(const Cluster& cluster, const Scenario& scenario) {
  return transport_of(cluster,
                      scenario.transport.empty() ? cluster.network.transport : scenario.transport);
}

double node_latency(const Cluster& cluster) {
  return kMicro * (cluster.node.latency_us > 0 ? cluster.node.latency_us
                                               : links_of(cluster.node).latency_us);
}

double smaller_cap(double rate, double gbyte) {
  return gbyte > 0 ? std::min(rate, gbyte * kGiga) : rate;
}

// NCCL since 2.4 has trees beside rings, and takes the faster.
bool may_build_trees(const Cluster& cluster, const Scenario& scenario) {
  return library_of(cluster, scenario) == "nccl" &&
         !version_below(cluster.collectives.version, 2, 4);
}

struct Rates {
  double inside, between;          // bytes per second
  double link;                     // of a node, without its rack's uplink
  double tree_uplink_seconds;      // per byte that is summed in trees, on the busiest uplink
  double hop_inside, hop_between;  // seconds
};

double tree_uplink_seconds(const Cluster& cluster, const Scenario& scenario, int nodes) {
  const double bytes = tree_bytes_on_uplink(cluster, nodes);
  return bytes > 0 ? bytes / uplink_rate(cluster, scenario) : 0;
}

Rates rates_of(const Cluster& cluster, const Scenario& scenario, const Layout& layout) {
  return {.inside = layout.per_node > 1 ? node_ring_rate(cluster, layout.per_node)
                                        : std::numeric_limits<double>::infinity(),
          .between = layout.nodes > 1 ? network_rate(cluster, scenario, layout.nodes)
                                      : std::numeric_limits<double>::infinity(),
          .link = layout.nodes > 1 ? node_link_rate(cluster, scenario, layout.nodes)
                                   : std::numeric_limits<double>::infinity(),
          .tree_uplink_seconds = tree_uplink_seconds(cluster, scenario, layout.nodes),
          .hop_inside = node_latency(cluster),
          .hop_between = kMicro * transport_in(cluster, scenario).latency_us};
}

double mean_hop(const Rates& rates, const Layout& layout) {
  if (layout.nodes == 1) return rates.hop_inside;
  return (rates.hop_between + (layout.per_node - 1) * rates.hop_inside) / layout.per_node;
}

CostLine ring(const Rates& rates, const Layout& layout) {
  const double n = layout.ranks;
  return {.seconds_per_byte = 2 * (n - 1) / n / std::min(rates.inside, rates.between),
          .latency = 2 * (n - 1) * mean_hop(rates, layout)};
}

// Rings inside nodes, then every device's part over a ring of nodes.
CostLine hierarchical(const Rates& rates, const Layout& layout) {
  const double g = layout.per_node, n = layout.nodes;
  return {.seconds_per_byte = 2 * (g - 1) / g / rates.inside + 2 * (n - 1) / n / rates.between,
          .latency = 2 * (g - 1) * rates.hop_inside + 2 * (n - 1) * rates.hop_between};
}

// Both halves of the data in a tree of nodes each (double_tree.h).
CostLine tree(const Rates& rates, const Layout& layout) {
  const double depth = std::ceil(std::log2(std::max(2, layout.nodes)));
  return {.seconds_per_byte =
              std::max(2 / std::min(rates.inside, rates.link), rates.tree_uplink_seconds),
          .latency = 2 * (depth * rates.hop_between + (layout.per_node - 1) * rates.hop_inside)};
}

CostLine halving_doubling(const Rates& rates, const Layout& layout) {
  const double g = layout.per_node, n = layout.nodes;
  const double inside = layout.per_node > 1 ? 2 * (g - 1) / g / rates.inside : 0;
  return {.seconds_per_byte = inside + 2 * (n - 1) / n / rates.between,
          .latency = 2 * (std::ceil(std::log2(std::max(2.0, n))) * rates.hop_between +
                          (g - 1) * rates.hop_inside)};
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

// Measured classes hold one hop: a ring takes 2 (N - 1) of them for chunks of 1/N.
double CollectiveCost::bandwidth_seconds(double bytes) const {
  if (sizes.empty()) return bytes * (takes_tree(bytes) ? *tree : line).seconds_per_byte;
  const auto fits = std::ranges::find_if(
      sizes, [&](const SizeClass& each) { return bytes <= each.up_to_mb * 1e6; });
  const SizeClass& each = fits == sizes.end() ? sizes.back() : *fits;
  return 2.0 * (ranks - 1) * (each.latency_us * kMicro + bytes / ranks / (each.gbyte * kGiga));
}

Layout layout_of(const Cluster& cluster, const Scenario& scenario) {
  const int most = scenario.per_node > 0 ? scenario.per_node : cluster.devices_per_node;
  const int per_node = std::min(most, scenario.devices);
  const int nodes = (scenario.devices + per_node - 1) / per_node;
  if (per_node > cluster.devices_per_node || nodes > cluster.nodes) {
    throw UsageError("{} devices: cluster {} has {} nodes with {} devices each", scenario.devices,
                     cluster.name, cluster.nodes, cluster.devices_per_node);
  }
  return {.ranks = scenario.devices, .nodes = nodes, .per_node = per_node};
}

double node_ring_rate(const Cluster& cluster, int devices) {
  const auto& rows = cluster.node.ring_gbyte;
  if (rows.empty()) {
    const NodeLinkRow& links = links_of(cluster.node);
    return kGiga * (devices <= 2   ? links.pair_gbyte
                    : devices <= 4 ? links.quad_gbyte
                                   : links.full_gbyte);
  }
  const auto fits =
      std::ranges::find_if(rows, [&](const auto& row) { return row.first >= devices; });
  return kGiga * (fits == rows.end() ? rows.back().second : fits->second);
}

double node_link_rate(const Cluster& cluster, const Scenario& scenario, int nodes) {
  const Transport& transport = transport_in(cluster, scenario);
  const NetworkLinks& network = cluster.network;
  constexpr double kLeast = 0.2;  // no link of a million is a dead one
  const double slowest = std::max(kLeast, 1 - network.spread * expected_largest(nodes));
  const double line = network.line_gbit * network.interfaces / kBits * kGiga;
  double rate = transport.gbyte > 0 ? transport.gbyte * kGiga : transport.efficiency * line;
  rate *= slowest;
  if (transport.flow_gbit > 0) {
    const double cap = transport.flow_gbit * transport.flows / kBits * kGiga;
    rate = std::min(rate, cap * scenario.software_scale);
  }
  const bool sockets = transport.name == "tcp" || transport.name == "ipoib";
  if (scenario.update == UpdateKind::AllReduce) {
    const LibraryRow& row = library_row(library_of(cluster, scenario), cluster.collectives.version);
    const bool own = library_of(cluster, scenario) == cluster.collectives.library;
    const double cap = own && cluster.collectives.gbyte > 0 ? cluster.collectives.gbyte
                       : sockets && row.tcp_gbyte > 0       ? row.tcp_gbyte
                                                            : row.any_gbyte;
    rate = smaller_cap(rate, cap * scenario.software_scale);
  }
  return rate * scenario.wire_scale;
}

double uplink_rate(const Cluster& cluster, const Scenario& scenario) {
  const NetworkLinks& network = cluster.network;
  const Transport& transport = transport_in(cluster, scenario);
  const double line = network.line_gbit * network.interfaces / kBits * kGiga;
  const double one = transport.gbyte > 0 ? transport.gbyte * kGiga : transport.efficiency * line;
  return one * network.rack_nodes / network.oversubscription * scenario.wire_scale;
}

double network_rate(const Cluster& cluster, const Scenario& scenario, int nodes) {
  const double rate = node_link_rate(cluster, scenario, nodes);
  const int rack = cluster.network.rack_nodes;
  if (rack == 0 || nodes <= rack) return rate;
  return std::min(rate, uplink_rate(cluster, scenario) / flows_on_uplink(cluster, nodes));
}

double hop_latency(const Cluster& cluster, const Scenario& scenario, const Layout& layout) {
  return mean_hop(rates_of(cluster, scenario, layout), layout);
}

std::vector<int> ring_order(const Cluster& cluster, int nodes) {
  std::vector<int> order(nodes);
  std::iota(order.begin(), order.end(), 0);
  if (cluster.network.rank_order != "shuffled") return order;
  const RandomStream random(20170905, 0);  // any, but always the same
  for (int i = nodes - 1; i > 0; --i) std::swap(order[i], order[random.bits(i) % (i + 1)]);
  return order;
}

int flows_on_uplink(const Cluster& cluster, int nodes) {
  const int rack = cluster.network.rack_nodes;
  if (rack == 0 || nodes <= rack || cluster.network.rank_order != "shuffled") return 1;
  const std::vector<int> order = ring_order(cluster, nodes);
  std::vector<int> out((nodes + rack - 1) / rack), in(out.size());
  for (int i = 0; i < nodes; ++i) {
    const int from = order[i] / rack, to = order[(i + 1) % nodes] / rack;
    if (from == to) continue;
    ++out[from];
    ++in[to];
  }
  return std::max({1, std::ranges::max(out), std::ranges::max(in)});
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
  cost.ranks = layout.ranks;
  if (layout.nodes > 1) cost.sizes = cluster.collectives.sizes;
  if (!cost.sizes.empty()) cost.tree.reset();  // hops of a ring were measured
  for (SizeClass& each : cost.sizes) each.gbyte *= scenario.wire_scale / scenario.gradient_scale;
  return cost;
}

}  // namespace lockstep
