#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "sim/model/fidelity.h"
#include "sim/model/link_rates.h"

namespace lockstep {
namespace {

constexpr double kGiga = 1e9;

double or_infinite(double gbyte) {
  return gbyte > 0 ? gbyte * kGiga : std::numeric_limits<double>::infinity();
}

bool one_host(const Cluster& cluster, const Layout& layout) {
  return layout.nodes == 1 && cluster.servers.on_workers;
}

std::vector<double> bytes_of_servers(const ServerTraffic& traffic) {
  std::vector<double> bytes(traffic.servers);
  for (const ServerSlice& slice : traffic.slices) bytes[slice.server] += slice.bytes;
  return bytes;
}

// When the uplinks of racks have passed all slices. Servers are on the first nodes, or on nodes
// that follow the workers'. All workers send a slice to its server, or fetch it: the same links,
// the other way round.
class RackUplinks {
 public:
  RackUplinks(const Cluster& cluster, const Scenario& scenario, const Layout& layout,
              const ServerTraffic& traffic)
      : traffic_(traffic),
        rack_nodes_(cluster.network.rack_nodes),
        first_server_(cluster.servers.on_workers ? 0 : layout.nodes) {
    if (rack_nodes_ == 0) return;
    rate_ = uplink_rate(cluster, scenario);
    const int nodes = std::max(layout.nodes, first_server_ + traffic.servers);
    racks_.resize((nodes + rack_nodes_ - 1) / rack_nodes_);
    for (int worker = 0; worker < traffic.workers; ++worker) {
      ++racks_[worker / traffic.workers_per_node / rack_nodes_].workers;
    }
    for (const ServerSlice& slice : traffic.slices) {
      racks_[home_of(slice)].bytes += slice.bytes;
      total_ += slice.bytes;
    }
  }

  double end(bool when_ready) const {
    if (rack_nodes_ == 0) return 0;
    double last = end_of_servers(when_ready);
    for (const size_t rack : busiest()) last = std::max(last, end_of_workers(rack, when_ready));
    return last;
  }

 private:
  struct Rack {
    int workers = 0;
    double bytes = 0;  // on its servers
  };

  size_t home_of(const ServerSlice& slice) const {
    return static_cast<size_t>((first_server_ + slice.server) / rack_nodes_);
  }
  double pass(double free_at, const ServerSlice& slice, int workers, bool when_ready) const {
    return std::max(free_at, when_ready ? slice.ready : 0) + slice.bytes * workers / rate_;
  }

  double end_of_servers(bool when_ready) const {
    std::vector<double> free_at(racks_.size());
    for (const ServerSlice& slice : traffic_.slices) {
      const size_t home = home_of(slice);
      const int elsewhere = traffic_.workers - racks_[home].workers;
      if (elsewhere > 0) free_at[home] = pass(free_at[home], slice, elsewhere, when_ready);
    }
    return std::ranges::max(free_at);
  }
  double end_of_workers(size_t rack, bool when_ready) const {
    double free_at = 0;
    for (const ServerSlice& slice : traffic_.slices) {
      if (home_of(slice) == rack) continue;
      free_at = pass(free_at, slice, racks_[rack].workers, when_ready);
    }
    return free_at;
  }

  // Those from which most is sent: of many racks that are nearly alike, a few.
  std::vector<size_t> busiest() const {
    constexpr size_t kTried = 16;
    std::vector<size_t> order;
    for (size_t i = 0; i < racks_.size(); ++i) {
      if (racks_[i].workers > 0) order.push_back(i);
    }
    const auto sent = [&](size_t i) { return racks_[i].workers * (total_ - racks_[i].bytes); };
    const size_t tried = std::min(kTried, order.size());
    std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(tried),
                              std::greater<>(), sent);
    order.resize(tried);
    return order;
  }

  const ServerTraffic& traffic_;  // borrowed
  int rack_nodes_, first_server_;
  double rate_ = 0;   // bytes per second
  double total_ = 0;  // bytes of all slices
  std::vector<Rack> racks_;
};

}  // namespace

ScheduleFidelity::ScheduleFidelity(const Cluster& cluster, const Scenario& scenario,
                                   const Layout& layout)
    : cluster_(cluster),
      scenario_(scenario),
      layout_(layout),
      cost_(collective_cost(cluster, scenario, layout)),
      network_rate_(one_host(cluster, layout)
                        ? std::numeric_limits<double>::infinity()
                        : node_link_rate(cluster, scenario, std::max(2, layout.nodes))) {}

// A node whose workers share it with a server does not send them what that server holds.
double ScheduleFidelity::own_seconds_per_byte(const ServerTraffic& traffic) const {
  double part = 1;
  if (cluster_.servers.on_workers && traffic.servers >= layout_.nodes) {
    const std::vector<double> bytes = bytes_of_servers(traffic);
    part -= std::ranges::min(bytes) / std::accumulate(bytes.begin(), bytes.end(), 0.0);
  }
  return part * traffic.workers_per_node / network_rate_;
}

double ScheduleFidelity::seconds_per_byte(const ServerTraffic& traffic) const {
  const ParameterServers& servers = cluster_.servers;
  const int local = servers.on_workers ? std::min(traffic.workers, traffic.workers_per_node) : 0;
  const int remote = traffic.workers - local;
  const double software = scenario_.software_scale;
  const double server = or_infinite(servers.gbyte) * scenario_.wire_scale * software;
  const double all = remote > 0 ? remote / std::min(network_rate_, server) : 0;
  const double stream =
      std::min(or_infinite(servers.stream_gbyte) * software, connection_rate(cluster_, scenario_));
  const double one = remote > 0 ? 1 / stream : 0;
  const double memory = servers.loopback_gbyte * kGiga * scenario_.inside_scale;
  return std::max({all, one, local / memory});
}

double ScheduleFidelity::pull_seconds(const ServerTraffic& traffic) const {
  const std::vector<double> bytes = bytes_of_servers(traffic);
  const double hottest = std::ranges::max(bytes) * seconds_per_byte(traffic);
  const double own =
      std::accumulate(bytes.begin(), bytes.end(), 0.0) * own_seconds_per_byte(traffic);
  return std::max({hottest, own, RackUplinks(cluster_, scenario_, layout_, traffic).end(false)});
}

double ScheduleFidelity::push_end(const ServerTraffic& traffic) const {
  const double per_byte = seconds_per_byte(traffic);
  const double own_per_byte = own_seconds_per_byte(traffic);
  std::vector<double> free_at(traffic.servers);
  double own_free = 0, end = RackUplinks(cluster_, scenario_, layout_, traffic).end(true);
  for (const ServerSlice& slice : traffic.slices) {
    double& server = free_at[slice.server];
    server = std::max(server, slice.ready) + slice.bytes * per_byte;
    own_free = std::max(own_free, slice.ready) + slice.bytes * own_per_byte;
    end = std::max({end, server, own_free});
  }
  return end;
}

}  // namespace lockstep
