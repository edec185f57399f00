#include "sim/model/link_rates.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/random.h"
#include "sim/cluster/hardware_tables.h"
#include "sim/model/expected_largest.h"

namespace lockstep {
namespace {

constexpr double kGiga = 1e9, kBits = 8;
constexpr double kNoLimit = std::numeric_limits<double>::infinity();

double smaller_cap(double rate, double gbyte) {
  return gbyte > 0 ? std::min(rate, gbyte * kGiga) : rate;
}

// The file has a measurement of what its library reaches between two nodes.
bool rate_measured(const Cluster& cluster, const Scenario& scenario) {
  const Transport& transport = transport_in(cluster, scenario);
  return transport.gbyte > 0 && own_library(cluster, scenario) &&
         cluster.measured("transport." + transport.name + ".gbyte");
}

// What the library moves out of a node in GB/s; 0: no cap.
double library_gbyte(const Cluster& cluster, const Scenario& scenario) {
  if (own_library(cluster, scenario) && cluster.collectives.gbyte > 0) {
    return cluster.collectives.gbyte;
  }
  if (rate_measured(cluster, scenario)) return 0;
  const LibraryRow& row = library_row(library_of(cluster, scenario), cluster.collectives.version);
  const std::string& transport = transport_in(cluster, scenario).name;
  const bool sockets = transport == "tcp" || transport == "ipoib";
  return sockets && row.tcp_gbyte > 0 ? row.tcp_gbyte : row.any_gbyte;
}

// By all interfaces of a node, without software.
double wire_rate(const Cluster& cluster, const Scenario& scenario) {
  const Transport& transport = transport_in(cluster, scenario);
  const NetworkLinks& network = cluster.network;
  if (transport.gbyte > 0) return transport.gbyte * kGiga;
  return transport.efficiency * network.line_gbit * network.interfaces / kBits * kGiga;
}

}  // namespace

bool own_library(const Cluster& cluster, const Scenario& scenario) {
  return scenario.library.empty() || scenario.library == cluster.collectives.library;
}

const Transport& transport_in(const Cluster& cluster, const Scenario& scenario) {
  return transport_of(cluster,
                      scenario.transport.empty() ? cluster.network.transport : scenario.transport);
}

std::string_view library_of(const Cluster& cluster, const Scenario& scenario) {
  const std::string& name =
      scenario.library.empty() ? cluster.collectives.library : scenario.library;
  if (name != "grpc") return name;
  return cluster.device_kind == "gpu" ? "nccl" : "gloo";
}

double node_link_rate(const Cluster& cluster, const Scenario& scenario, int nodes) {
  constexpr double kLeast = 0.2;  // no link of a million is a dead one
  const bool no_spread =
      !cluster.notes.contains("network.spread") && rate_measured(cluster, scenario);
  const double spread = no_spread ? 0 : cluster.network.spread;
  const double slowest = std::max(kLeast, 1 - spread * expected_largest(nodes));
  double rate = wire_rate(cluster, scenario) * slowest;
  if (scenario.update == UpdateKind::AllReduce) {
    rate = smaller_cap(rate, library_gbyte(cluster, scenario) * scenario.software_scale);
  }
  return rate * scenario.wire_scale;
}

double uplink_rate(const Cluster& cluster, const Scenario& scenario) {
  const NetworkLinks& network = cluster.network;
  return wire_rate(cluster, scenario) * network.rack_nodes / network.oversubscription *
         scenario.wire_scale;
}

double connection_rate(const Cluster& cluster, const Scenario& scenario) {
  const double gbit = transport_in(cluster, scenario).flow_gbit;
  if (gbit == 0) return kNoLimit;
  return gbit / kBits * kGiga * scenario.software_scale * scenario.wire_scale;
}

double neighbour_rate(const Cluster& cluster, const Scenario& scenario) {
  const int given = transport_in(cluster, scenario).flows;
  // Since 2.4, NCCL has two threads with eight sockets each on EC2, which is where connections are
  // capped. Older ones, and other libraries, have one.
  const bool several =
      library_of(cluster, scenario) == "nccl" && !version_below(cluster.collectives.version, 2, 4);
  const int flows = given > 0 ? given : several ? 16 : 1;
  return flows * connection_rate(cluster, scenario);
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

double inside_rate(const Cluster& cluster, const Scenario& scenario, int devices) {
  const double links = node_ring_rate(cluster, devices) * scenario.inside_scale;
  // What a file says of all-reduces inside its nodes holds for its own library.
  if (own_library(cluster, scenario) && cluster.notes.contains("node.ring_gbyte")) return links;
  const LibraryRow& row = library_row(library_of(cluster, scenario), cluster.collectives.version);
  return smaller_cap(links, row.inside_gbyte * scenario.software_scale * scenario.inside_scale);
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

}  // namespace lockstep
