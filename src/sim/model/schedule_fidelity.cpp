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

// When the uplinks of racks are free again. Servers are on the first nodes, or on nodes that follow
// the workers'.
class RackUplinks {
 public:
  RackUplinks(const Cluster& cluster, const Scenario& scenario, const Layout& layout,
              const ServerTraffic& traffic)
      : rack_nodes_(cluster.network.rack_nodes),
        first_server_(cluster.servers.on_workers ? 0 : layout.nodes) {
    if (rack_nodes_ == 0) return;
    rate_ = uplink_rate(cluster, scenario);
    workers_ = traffic.workers;
    const int nodes = std::max(layout.nodes, first_server_ + traffic.servers);
    in_rack_.resize((nodes + rack_nodes_ - 1) / rack_nodes_);
    for (int worker = 0; worker < workers_; ++worker) {
      ++in_rack_[worker / traffic.workers_per_node / rack_nodes_];
    }
    up_.resize(in_rack_.size());
    down_.resize(in_rack_.size());
  }

  // All workers send a slice to its server, or fetch it: the same links, the other way round.
  double pass(const ServerSlice& slice) {
    if (rack_nodes_ == 0) return 0;
    const size_t home = (first_server_ + slice.server) / rack_nodes_;
    double end = take(down_[home], slice, workers_ - in_rack_[home]);
    for (size_t rack = 0; rack < up_.size(); ++rack) {
      if (rack != home) end = std::max(end, take(up_[rack], slice, in_rack_[rack]));
    }
    return end;
  }

 private:
  double take(double& free_at, const ServerSlice& slice, int workers) const {
    if (workers == 0) return 0;
    return free_at = std::max(free_at, slice.ready) + slice.bytes * workers / rate_;
  }

  int rack_nodes_, first_server_, workers_ = 0;
  double rate_ = 0;  // bytes per second
  std::vector<int> in_rack_;
  std::vector<double> up_, down_;
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
  return std::max({all, one, local / (servers.loopback_gbyte * kGiga)});
}

double ScheduleFidelity::pull_seconds(const ServerTraffic& traffic) const {
  RackUplinks uplinks(cluster_, scenario_, layout_, traffic);
  double total = 0, uplink = 0;
  for (ServerSlice slice : traffic.slices) {
    total += slice.bytes;
    slice.ready = 0;
    uplink = std::max(uplink, uplinks.pass(slice));
  }
  const double hottest = std::ranges::max(bytes_of_servers(traffic)) * seconds_per_byte(traffic);
  return std::max({hottest, total * own_seconds_per_byte(traffic), uplink});
}

double ScheduleFidelity::push_end(const ServerTraffic& traffic) const {
  const double per_byte = seconds_per_byte(traffic);
  const double own_per_byte = own_seconds_per_byte(traffic);
  std::vector<double> free_at(traffic.servers);
  RackUplinks uplinks(cluster_, scenario_, layout_, traffic);
  double own_free = 0, end = 0;
  for (const ServerSlice& slice : traffic.slices) {
    double& server = free_at[slice.server];
    server = std::max(server, slice.ready) + slice.bytes * per_byte;
    own_free = std::max(own_free, slice.ready) + slice.bytes * own_per_byte;
    end = std::max({end, server, own_free, uplinks.pass(slice)});
  }
  return end;
}

}  // namespace lockstep
