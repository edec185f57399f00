#include "sim/cluster/cluster_problems.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.h"
#include "sim/cluster/hardware_tables.h"
#include "sim/cluster/known_rates.h"

namespace lockstep {
namespace {

class Checks {
 public:
  explicit Checks(const Cluster& cluster) : cluster_(cluster) {}

  void need(bool fine, const std::string& key, const std::string& problem) {
    if (fine) return;
    const auto note = cluster_.notes.find(key);
    const int line = note == cluster_.notes.end() ? 0 : note->second.line;
    problems_.push_back(line > 0 ? fmt::format("{}:{}: {} {}", cluster_.file, line, key, problem)
                                 : fmt::format("{}: {} {}", cluster_.file, key, problem));
  }
  template <typename Names>
  void one_of(const std::string& key, const std::string& given, const Names& names) {
    need(std::ranges::count(names, given) > 0, key,
         fmt::format("must be one of {}, not '{}'", fmt::join(names, ", "), given));
  }

  void at_most_the_line(const std::string& key, double gbyte, double line) {
    constexpr double kRounding = 1.01;
    need(line == 0 || gbyte <= kRounding * line, key,
         fmt::format("must be at most the {:.6g} GB/s of network.line_gbit, not {:.6g}", line,
                     gbyte));
  }

  std::vector<std::string> take() { return std::move(problems_); }

 private:
  const Cluster& cluster_;
  std::vector<std::string> problems_;
};

template <typename Rows>
std::vector<std::string> names_of(const Rows& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.emplace_back(row.name);
  return names;
}

using Names = std::vector<std::string>;

// The links of a node in GB/s.
double line_gbyte(const NetworkLinks& network) {
  return network.line_gbit * network.interfaces / 8;
}

// "2.4" or "2.18.3+cuda12": two numbers, then anything.
bool is_version(const std::string& text) {
  const std::vector<std::string> parts = split(text, '.');
  return parts.size() > 1 && whole_number(parts[0]) && whole_number(parts[1]);
}

void check_network(const Cluster& cluster, Checks& checks) {
  const NetworkLinks& network = cluster.network;
  const bool several = cluster.nodes > 1;
  checks.need(!several || network.line_gbit > 0, "network.line_gbit",
              "must be above 0: several nodes need a network");
  checks.need(network.interfaces > 0, "network.interfaces", "must be at least 1");
  checks.one_of("network.transport", network.transport, names_of(transport_rows()));
  checks.one_of("network.rank_order", network.rank_order, Names{"by_node", "shuffled"});
  checks.need(network.spread < 0.2, "network.spread", "must be below 0.2, a part of the rate");
  checks.need(network.oversubscription >= 1, "network.oversubscription",
              "must be at least 1: all links of a rack over its uplink");
  checks.need(network.oversubscription == 1 || network.rack_nodes > 0, "network.oversubscription",
              "needs network.rack_nodes, the nodes that share an uplink");
  checks.need(network.rank_order == "by_node" || network.rack_nodes > 0, "network.rank_order",
              "needs network.rack_nodes: one switch has no order");
  const double line = line_gbyte(network);
  checks.at_most_the_line("collectives.gbyte", cluster.collectives.gbyte, line);
  checks.at_most_the_line("servers.stream_gbyte", cluster.servers.stream_gbyte, line);
  for (const auto& [name, transport] : cluster.transports) {
    const std::string prefix = "transport." + name + ".";
    checks.need(transport.efficiency > 0 && transport.efficiency <= 1, prefix + "efficiency",
                "must be above 0 and at most 1, a part of the line rate");
    checks.need(transport.flows > 0 || !cluster.notes.contains(prefix + "flows"), prefix + "flows",
                "must be at least 1");
    checks.at_most_the_line(prefix + "gbyte", transport.gbyte, line);
  }
}

void check_software(const Cluster& cluster, Checks& checks) {
  checks.one_of("collectives.library", cluster.collectives.library, names_of(library_rows()));
  checks.need(cluster.device_kind == "gpu" || cluster.collectives.library != "nccl",
              "collectives.library", "nccl needs device.kind gpu; use gloo, mpi or another");
  for (const auto& [key, version] :
       {std::pair("collectives.version", cluster.collectives.version),
        std::pair("schedule.horovod_version", cluster.schedule.horovod_version)}) {
    checks.need(version.empty() || is_version(version), key,
                fmt::format("must be a version, as \"0.16\", not '{}'", version));
  }
  checks.one_of("collectives.algorithm", cluster.collectives.algorithm,
                Names{"auto", "ring", "tree", "hierarchical", "halving_doubling"});
  for (const SizeClass& each : cluster.collectives.sizes) {
    checks.need(each.gbyte > 0, "collectives.sizes", "must have rates above 0");
  }
  const StepSchedule& schedule = cluster.schedule;
  checks.one_of("schedule.scheduler", schedule.scheduler,
                Names{"auto", "horovod", "buckets", "tensors", "after_backward"});
  checks.need(schedule.fusion_mb > 0, "schedule.fusion_mb", "must be above 0");
  checks.need(schedule.overhead < 1, "schedule.overhead", "must be below 1, a part of the step");
  const ParameterServers& servers = cluster.servers;
  const int hosts = cluster.nodes;
  checks.need(servers.count <= hosts, "servers.count",
              fmt::format("must be at most the {} nodes, not {}", hosts, servers.count));
  checks.need(servers.on_workers || servers.count < hosts, "servers.count",
              fmt::format("leaves no worker: {} of {} nodes are servers", servers.count, hosts));
  checks.need(servers.loopback_gbyte > 0, "servers.loopback_gbyte", "must be above 0");
  checks.need(servers.hidden_pull <= 1, "servers.hidden_pull", "must be at most 1");
  checks.need(servers.exposed_read <= 1, "servers.exposed_read", "must be at most 1");
  checks.need(servers.workers_per_node > 0, "servers.workers_per_node", "must be at least 1");
  checks.need(servers.workers_per_node <= cluster.devices_per_node, "servers.workers_per_node",
              fmt::format("must be at most the {} devices of a node, not {}",
                          cluster.devices_per_node, servers.workers_per_node));
}

}  // namespace

std::vector<std::string> problems_in(const Cluster& cluster) {
  Checks checks(cluster);
  checks.need(cluster.nodes > 0, "nodes", "must be at least 1");
  checks.need(cluster.devices_per_node > 0, "devices_per_node", "must be at least 1");
  checks.one_of("device.kind", cluster.device_kind, Names{"gpu", "cpu"});
  checks.one_of("node.links", cluster.node.links, names_of(node_link_rows()));
  checks.need(cluster.device_kind != "cpu" || cluster.node.links == "shm", "node.links",
              fmt::format("must be shm with device.kind cpu, not {}: its processes share memory",
                          cluster.node.links));
  const int64_t devices = int64_t{cluster.nodes} * cluster.devices_per_node;
  checks.need(cluster.calibrated_devices <= devices, "calibrated_devices",
              fmt::format("must be at most the {} devices of the cluster, not {}", devices,
                          cluster.calibrated_devices));
  for (const auto& [ranks, rate] : cluster.node.ring_gbyte) {
    checks.need(ranks > 1 && rate > 0, "node.ring_gbyte",
                "must have at least 2 devices and a rate above 0 in every row");
  }
  checks.need(cluster.node.shared_slowdown < 1, "node.shared_slowdown", "must be below 1");
  checks.need(cluster.node.others_slowdown < 1, "node.others_slowdown", "must be below 1");
  checks.need(cluster.input.images_per_core_second > 0, "input.images_per_core_second",
              "must be above 0");
  checks.need(cluster.jitter.rank < 1, "jitter.rank", "must be below 1, a part of the step");
  checks.need(cluster.jitter.node < 1, "jitter.node", "must be below 1, a part of the step");
  constexpr double kMostDevices = 1e8;
  checks.need(static_cast<double>(devices) <= kMostDevices, "devices_per_node",
              "must leave at most 100000000 devices in the cluster");
  for (const auto& [key, rate] : cluster.images_per_second) {
    checks.need(
        rate_key_of(key).batch > 0, "images_per_second." + key,
        "must be named by model and batch size, as \"resnet50:64\" or \"resnet50:64:fp16\"");
    checks.need(rate > 0, "images_per_second." + key, "must be above 0");
  }
  check_network(cluster, checks);
  check_software(cluster, checks);
  return checks.take();
}

}  // namespace lockstep
