// simgrid.cpp: transfers as messages on SimGrid.
//
// The ring is the blocking one: a rank sends its next chunk when it has sent and received the one
// before. Up to 128 ranks every message is simulated; beyond that, the messages between nodes of a
// few of the 2 (N - 1) rounds, which are all alike. A hierarchical all-reduce is a ring inside
// nodes and one between them. Trees are pipelines: every edge is a flow of half the data each way.
// SimGrid has one engine per process, so every question is answered by a child process.
#include <simgrid/forward.h>
#include <simgrid/version.h>
#include <xbt/log.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <span>

#include "base/error.h"
#include "sim/message/in_child.h"
#include "sim/message/message_fidelity.h"
#include "sim/message/simgrid_platform.h"
#include "sim/model/double_tree.h"
#include "sim/model/link_rates.h"

namespace lockstep {
namespace {

namespace sg4 = simgrid::s4u;

constexpr int kAllMessagesUpTo = 128;
constexpr int kSampledRounds = 8;
constexpr int kMostHosts = 4096;  // SimGrid's table of routes has a cell for each pair of them

void start_engine(sg4::Engine& engine) {
  (void)engine;
  xbt_log_control_set("root.threshold:error");
  sg4::Engine::set_config("network/model:CM02");  // no factors of somebody else's calibration
  sg4::Engine::set_config("network/crosstraffic:0");
  sg4::Engine::set_config("network/TCP-gamma:0");
}

// The duration of what `act` does, in simulated seconds.
double simulated_seconds(sg4::Engine& engine, sg4::Host* host, const std::function<void()>& act) {
  double end = 0;
  sg4::Actor::create("all", host, [&] {
    act();
    end = sg4::Engine::get_clock();
  });
  engine.run();
  return end;
}

struct RingEdge {
  sg4::Host *from, *to;
};

bool is_power_of_two(int number) { return (number & (number - 1)) == 0; }

class MessageFidelity : public Fidelity {
 public:
  MessageFidelity(const Cluster& cluster, const Scenario& scenario, const Layout& layout)
      : cluster_(cluster), scenario_(scenario), layout_(layout) {}

  double all_reduce_seconds(double bytes) const override {
    const auto [at, fresh] = known_.try_emplace(std::llround(bytes));
    if (fresh) at->second = seconds_of(bytes);
    return at->second + 1e-6 * cluster_.schedule.collective_us;
  }
  double pull_seconds(const ServerTraffic& traffic) const override {
    return in_child([&] { return server_seconds(traffic, false); });
  }
  double push_end(const ServerTraffic& traffic) const override {
    return in_child([&] { return server_seconds(traffic, true); });
  }

 private:
  double seconds_of(double bytes) const {
    const CollectiveCost cost = collective_cost(cluster_, scenario_, layout_);
    const std::string name = algorithm_of(cluster_, scenario_);
    if (layout_.nodes == 1 || !cost.sizes.empty() || name == "ring") return ring(bytes, layout_);
    if (name == "tree" || cost.takes_tree(bytes)) {
      return in_child([&] { return tree_seconds(bytes); });
    }
    if (name == "auto") return ring(bytes, layout_);
    const Layout node{.ranks = layout_.per_node, .nodes = 1, .per_node = layout_.per_node};
    const Layout between{.ranks = layout_.nodes, .nodes = layout_.nodes};
    const double inside = layout_.per_node > 1 ? ring(bytes, node) : 0;
    if (name == "hierarchical") return inside + ring(bytes, between, layout_.per_node);
    return inside + in_child([&] { return halving_doubling_seconds(bytes, between); });
  }

  double ring(double bytes, const Layout& layout, int connections = 1) const {
    return in_child([&] { return ring_seconds(bytes, layout, connections); });
  }

  PlatformRates ring_rates(double bytes, const Layout& layout) const {
    PlatformRates rates{.hop = hop_latency(cluster_, scenario_, layout)};
    if (layout.per_node > 1) rates.inside = inside_rate(cluster_, scenario_, layout.per_node);
    if (layout.nodes > 1) {
      rates.node = node_link_rate(cluster_, scenario_, layout.nodes);
      rates.uplink = uplink_rate(cluster_, scenario_);
      rates.stream = neighbour_rate(cluster_, scenario_);
      const CollectiveCost cost = collective_cost(cluster_, scenario_, layout);
      if (!cost.sizes.empty()) {
        const SizeClass& hop = cost.size_class(bytes);
        rates.hop = 1e-6 * hop.latency_us;
        rates.node = rates.inside = rates.stream = 1e9 * hop.gbyte;
      }
    }
    return rates;
  }

  // Hosts are ranks, or nodes when only messages between nodes are simulated.
  std::vector<RingEdge> ring_of(SimgridPlatform& platform, const Layout& layout) const {
    const std::vector<int> order = ring_order(cluster_, layout.nodes);
    std::vector<sg4::Host*> hosts;
    std::vector<int> nodes;
    for (int i = 0; i < layout.nodes; ++i) {
      for (int slot = 0; slot < layout.per_node && std::ssize(hosts) < layout.ranks; ++slot) {
        hosts.push_back(platform.add_host(fmt::format("rank{}", hosts.size())));
        nodes.push_back(order[i]);
      }
    }
    std::vector<RingEdge> edges;
    for (size_t i = 0; i < hosts.size(); ++i) {
      const size_t next = (i + 1) % hosts.size();
      if (nodes[i] == nodes[next]) {
        platform.connect_inside(hosts[i], hosts[next]);
      } else {
        platform.connect_nodes(hosts[i], nodes[i], hosts[next], nodes[next]);
      }
      edges.push_back({hosts[i], hosts[next]});
    }
    return edges;
  }

  // `connections`: rings that run side by side between nodes, which are one flow here.
  double ring_seconds(double bytes, const Layout& layout, int connections) const {
    sg4::Engine engine("lockstep");
    start_engine(engine);
    PlatformRates rates = ring_rates(bytes, layout);
    rates.stream *= connections;
    const bool all = layout.ranks <= kAllMessagesUpTo;
    Layout simulated = layout;
    if (!all && layout.nodes > 1) {  // links inside nodes are not there, but hold up their node's
      if (layout.per_node > 1) rates.node = std::min(rates.node, rates.inside);
      simulated = {.ranks = layout.nodes, .nodes = layout.nodes};
    }
    SimgridPlatform platform(rates, cluster_.network.rack_nodes);
    const std::vector<RingEdge> edges = ring_of(platform, simulated);
    platform.seal();
    const int rounds = 2 * (layout.ranks - 1);
    const int played = all ? rounds : kSampledRounds;
    const auto chunk =
        static_cast<uint64_t>(std::llround(bytes * scenario_.gradient_scale / layout.ranks));
    const double seconds = simulated_seconds(engine, edges[0].from, [&] {
      for (int round = 0; round < played; ++round) send_all(edges, chunk);
    });
    return seconds * rounds / played;
  }

  static void send_all(std::span<const RingEdge> edges, uint64_t bytes) {
    std::vector<sg4::CommPtr> sent;
    for (const RingEdge& edge : edges) {
      sent.push_back(sg4::Comm::sendto_async(edge.from, edge.to, bytes));
    }
    sg4::Comm::wait_all(sent);
  }

  // Partners are 1, 2, 4, ... nodes apart and exchange a half, a quarter, ... of the data; then the
  // same rounds backwards.
  double halving_doubling_seconds(double bytes, const Layout& layout) const {
    sg4::Engine engine("lockstep");
    start_engine(engine);
    SimgridPlatform platform(ring_rates(bytes, layout), 0);
    std::vector<sg4::Host*> hosts;
    for (int i = 0; i < layout.nodes; ++i) {
      hosts.push_back(platform.add_host(fmt::format("node{}", i)));
    }
    std::vector<std::vector<RingEdge>> rounds;
    for (int apart = 1; apart < layout.nodes; apart *= 2) {
      std::vector<RingEdge>& edges = rounds.emplace_back();
      for (int i = 0; i < layout.nodes; ++i) {
        platform.connect_nodes(hosts[i], i, hosts[i ^ apart], i ^ apart);
        edges.push_back({hosts[i], hosts[i ^ apart]});
      }
    }
    platform.seal();
    const double seconds = simulated_seconds(engine, hosts[0], [&] {
      double part = bytes * scenario_.gradient_scale;
      for (const auto& edges : rounds) send_all(edges, std::llround(part /= 2));
    });
    return 2 * seconds;
  }

  double tree_seconds(double bytes) const {
    sg4::Engine engine("lockstep");
    start_engine(engine);
    PlatformRates rates = ring_rates(bytes, layout_);
    rates.node = std::min(rates.node, layout_.per_node > 1 ? rates.inside : rates.node);
    rates.hop = 0;  // the latency of a pipeline is paid once
    SimgridPlatform platform(rates, cluster_.network.rack_nodes);
    const std::vector<int> order = ring_order(cluster_, layout_.nodes);
    std::vector<sg4::Host*> hosts;
    for (int i = 0; i < layout_.nodes; ++i) {
      hosts.push_back(platform.add_host(fmt::format("node{}", i)));
    }
    std::vector<RingEdge> flows;
    std::set<std::pair<int, int>> connected;
    const auto add = [&](int from, int to) {
      flows.push_back({hosts[from], hosts[to]});
      if (connected.emplace(from, to).second) {
        platform.connect_nodes(hosts[from], order[from], hosts[to], order[to]);
      }
    };
    for (const TreeEdge& edge : double_tree(layout_.nodes)) {
      add(edge.child, edge.parent);
      add(edge.parent, edge.child);
    }
    platform.seal();
    const auto half = static_cast<uint64_t>(std::llround(bytes * scenario_.gradient_scale / 2));
    const double seconds = simulated_seconds(engine, hosts[0], [&] { send_all(flows, half); });
    const CollectiveCost cost = collective_cost(cluster_, scenario_, layout_);
    return seconds + (cost.tree ? *cost.tree : cost.line).latency;
  }

  double server_seconds(const ServerTraffic& traffic, bool push) const {
    sg4::Engine engine("lockstep");
    start_engine(engine);
    const ParameterServers& servers = cluster_.servers;
    PlatformRates rates{.loopback = servers.loopback_gbyte * 1e9 * scenario_.inside_scale};
    rates.node = node_link_rate(cluster_, scenario_, std::max(2, layout_.nodes));
    rates.uplink = uplink_rate(cluster_, scenario_);
    rates.server = servers.gbyte * 1e9 * scenario_.wire_scale * scenario_.software_scale;
    rates.stream = connection_rate(cluster_, scenario_);
    if (servers.stream_gbyte > 0) {
      rates.stream = std::min(rates.stream, servers.stream_gbyte * 1e9 * scenario_.software_scale);
    }
    SimgridPlatform platform(rates, cluster_.network.rack_nodes);
    const int first_server = servers.on_workers ? 0 : layout_.nodes;  // nodes of their own follow
    std::vector<sg4::Host*> worker, server;
    for (int i = 0; i < traffic.workers; ++i) {
      worker.push_back(platform.add_host(fmt::format("worker{}", i)));
    }
    for (int i = 0; i < traffic.servers; ++i) {
      server.push_back(platform.add_host(fmt::format("server{}", i)));
      for (int w = 0; w < traffic.workers; ++w) {
        const int from = w / traffic.workers_per_node, to = first_server + i;
        if (from == to) {
          platform.connect_inside(push ? worker[w] : server[i], push ? server[i] : worker[w],
                                  fmt::format("memory{}", i));
        } else if (push) {
          platform.connect_nodes(worker[w], from, server[i], to, to);
        } else {
          platform.connect_nodes(server[i], to, worker[w], from, to);
        }
      }
    }
    platform.seal();
    return simulated_seconds(engine, worker[0], [&] {
      if (push) {
        send_when_ready(traffic, worker, server);
      } else {
        fetch_all(traffic, worker, server);
      }
    });
  }

  static void fetch_all(const ServerTraffic& traffic, const std::vector<sg4::Host*>& worker,
                        const std::vector<sg4::Host*>& server) {
    std::vector<double> bytes(server.size());
    for (const ServerSlice& slice : traffic.slices) bytes[slice.server] += slice.bytes;
    std::vector<sg4::CommPtr> sent;
    for (size_t i = 0; i < server.size(); ++i) {
      const auto size = static_cast<uint64_t>(std::llround(bytes[i]));
      if (size == 0) continue;
      for (sg4::Host* to : worker) sent.push_back(sg4::Comm::sendto_async(server[i], to, size));
    }
    sg4::Comm::wait_all(sent);
  }

  static void send_when_ready(const ServerTraffic& traffic, const std::vector<sg4::Host*>& worker,
                              const std::vector<sg4::Host*>& server) {
    std::vector<sg4::CommPtr> sent;
    for (const ServerSlice& slice : traffic.slices) {
      sg4::this_actor::sleep_until(slice.ready);
      const auto size = static_cast<uint64_t>(std::llround(slice.bytes));
      if (size == 0) continue;
      for (sg4::Host* from : worker) {
        sent.push_back(sg4::Comm::sendto_async(from, server[slice.server], size));
      }
    }
    sg4::Comm::wait_all(sent);
  }

  const Cluster& cluster_;    // borrowed: outlives this
  const Scenario& scenario_;  // borrowed, as above
  const Layout layout_;
  mutable std::map<int64_t, double> known_;  // seconds by bytes
};

}  // namespace

bool has_message_fidelity() { return true; }

std::string simgrid_version() {
  int major = 0, minor = 0, patch = 0;
  sg_version_get(&major, &minor, &patch);
  return patch == 0 ? fmt::format("{}.{}", major, minor)
                    : fmt::format("{}.{}.{}", major, minor, patch);
}

std::unique_ptr<Fidelity> message_fidelity(const Cluster& cluster, const Scenario& scenario,
                                           const Layout& layout) {
  const bool racks = cluster.network.rack_nodes > 0 && layout.nodes > cluster.network.rack_nodes;
  if (scenario.update == UpdateKind::AllReduce &&
      algorithm_of(cluster, scenario) == "halving_doubling" &&
      (racks || !is_power_of_two(layout.nodes))) {
    throw UsageError(
        "--fidelity message: halving_doubling on {} nodes{}; use 2, 4, 8, ... nodes below one "
        "switch, --algorithm ring or --fidelity schedule",
        layout.nodes, racks ? " in racks" : "");
  }
  const int hosts = layout.ranks <= kAllMessagesUpTo ? layout.ranks : layout.nodes;
  if (hosts > kMostHosts) {
    throw UsageError(
        "--fidelity message: {} nodes; use at most {}, or --fidelity schedule, which has no limit",
        hosts, kMostHosts);
  }
  return std::make_unique<MessageFidelity>(cluster, scenario, layout);
}

}  // namespace lockstep
