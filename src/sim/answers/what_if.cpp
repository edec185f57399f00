#include "sim/answers/what_if.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "base/text.h"
#include "sim/cluster/hardware_tables.h"
#include "sync/strategies.h"

namespace lockstep {
namespace {

[[noreturn]] void refuse(const std::string& text, std::string_view wanted) {
  throw UsageError("--what-if '{}': must be {}", text, wanted);
}

// "2x" or "0.5x"; a plain number is the same.
double factor_in(const std::string& text, std::string_view value) {
  if (value.ends_with('x')) value.remove_suffix(1);
  const auto number = finite_number(value);
  if (!number || *number <= 0) refuse(text, "NAME=FACTOR with a factor above 0, as 2x");
  return *number;
}

// Links and what was measured on them; caps of the software stay.
void change_bandwidth(Change& change, const std::string& value) {
  const double factor = factor_in(change.text, value);
  change.cluster.network.line_gbit *= factor;
  for (auto& [name, transport] : change.cluster.transports) transport.gbyte *= factor;
  for (SizeClass& each : change.cluster.collectives.sizes) each.gbyte *= factor;
}

void change_node_bandwidth(Change& change, const std::string& value) {
  const double factor = factor_in(change.text, value);
  NodeLinks& node = change.cluster.node;
  const NodeLinkRow& row = links_of(node);
  if (node.ring_gbyte.empty()) {
    node.ring_gbyte = {{2, row.pair_gbyte}, {4, row.quad_gbyte}, {5, row.full_gbyte}};
  }
  for (auto& [devices, gbyte] : node.ring_gbyte) gbyte *= factor;
  node.host_gbyte = factor * (node.host_gbyte > 0 ? node.host_gbyte : row.host_gbyte);
  change.cluster.servers.loopback_gbyte *= factor;
}

void change_software(Change& change, const std::string& value) {
  change.scenario.software_scale *= factor_in(change.text, value);
}

void change_latency(Change& change, const std::string& value) {
  const double factor = factor_in(change.text, value);
  for (auto& [name, transport] : change.cluster.transports) transport.latency_us *= factor;
  for (SizeClass& each : change.cluster.collectives.sizes) each.latency_us *= factor;
  NodeLinks& node = change.cluster.node;
  node.latency_us = factor * (node.latency_us > 0 ? node.latency_us : links_of(node).latency_us);
  change.cluster.servers.request_us *= factor;
}

void change_compression(Change& change, const std::string& value) {
  if (value != "fp16" && value != "none") refuse(change.text, "compression=fp16 or none");
  if (value == "fp16" && change.scenario.uses_servers()) {
    throw UsageError("--what-if '{}': {} does not compress gradients; use an all-reduce strategy",
                     change.text, change.scenario.strategy);
  }
  change.scenario.gradient_scale = value == "fp16" ? 0.5 : 1;
}

void change_buckets(Change& change, const std::string& value) {
  const double mb = factor_in(change.text, value);
  change.scenario.bucket_mb = mb;
  change.cluster.schedule.fusion_mb = mb * 1.048576;
}

// The one-device step grows with the batch: the images per second of a device stay.
void change_batch(Change& change, const std::string& value) {
  const auto batch = whole_number(value);
  if (!batch || *batch < 1 || *batch > 1'000'000) refuse(change.text, "batch-size=IMAGES");
  change.scenario.one_device_step *= static_cast<double>(*batch) / change.scenario.batch;
  change.scenario.batch = static_cast<int>(*batch);
}

void change_slow_nodes(Change& change, const std::string& value) {
  const std::vector<std::string> parts = split(value, '@');
  const auto nodes = whole_number(parts[0]);
  const double speed = parts.size() == 2 ? finite_number(parts[1]).value_or(0) : 0;
  if (!nodes || *nodes < 0 || *nodes > change.cluster.nodes || speed <= 0 || speed > 1) {
    refuse(change.text, fmt::format("slow-nodes=NODES@SPEED, as 1@0.8, with at most {} nodes",
                                    change.cluster.nodes));
  }
  change.scenario.slow_nodes = static_cast<int>(*nodes);
  change.scenario.slow_speed = speed;
}

void change_device_speed(Change& change, const std::string& value) {
  change.scenario.one_device_step /= factor_in(change.text, value);
}

void change_overlap(Change& change, const std::string&) { change.scenario.overlap = false; }
void change_jitter(Change& change, const std::string&) { change.cluster.jitter = {0, 0}; }

void change_strategy(Change& change, const std::string& value) {
  change.scenario.scheduler.clear();
  set_strategy(value, change.scenario);
}

void change_algorithm(Change& change, const std::string& value) {
  constexpr std::string_view kNames[] = {"ring", "tree", "hierarchical", "halving_doubling"};
  if (std::ranges::count(kNames, value) == 0) {
    refuse(change.text, fmt::format("algorithm=NAME, one of {}", fmt::join(kNames, ", ")));
  }
  change.scenario.algorithm = value;
}

void change_transport(Change& change, const std::string& value) {
  if (!change.cluster.transports.contains(value)) {
    std::vector<std::string_view> names;
    for (const TransportRow& row : transport_rows()) names.push_back(row.name);
    refuse(change.text, fmt::format("transport=NAME, one of {}", fmt::join(names, ", ")));
  }
  change.scenario.transport = value;
}

void change_servers(Change& change, const std::string& value) {
  const auto servers = whole_number(value);
  if (!servers || *servers < 1) refuse(change.text, "servers=NUMBER");
  change.scenario.servers = static_cast<int>(*servers);
}

struct Row {
  ChangeKind kind;
  void (*apply)(Change& change, const std::string& value);
};
constexpr Row kRows[] = {
    {{"bandwidth", "2x", "rate of the links between nodes"}, change_bandwidth},
    {{"node-bandwidth", "2x", "rate between devices of a node"}, change_node_bandwidth},
    {{"software", "2x", "caps of libraries, connections and servers"}, change_software},
    {{"latency", "0.5x", "latency of a hop, and of requests to servers"}, change_latency},
    {{"compression", "fp16", "gradients on the wire"}, change_compression},
    {{"bucket-mb", "64", "size of buckets, or of the fusion buffer"}, change_buckets},
    {{"batch-size", "128", "images per device per step"}, change_batch},
    {{"slow-nodes", "1@0.8", "nodes that compute at a part of the speed"}, change_slow_nodes},
    {{"device-speed", "2x", "speed of a device"}, change_device_speed},
    {{"no-overlap", "", "communication begins when backward has ended"}, change_overlap},
    {{"no-jitter", "", "all ranks are equally fast"}, change_jitter},
    {{"strategy", "parameter_server", "as --variable-update"}, change_strategy},
    {{"algorithm", "tree", "of the all-reduce"}, change_algorithm},
    {{"transport", "rdma", "how bytes cross the network"}, change_transport},
    {{"servers", "4", "number of parameter servers"}, change_servers},
};

}  // namespace

std::span<const ChangeKind> change_kinds() {
  static const std::vector<ChangeKind> kinds = [] {
    std::vector<ChangeKind> all;
    for (const Row& row : kRows) all.push_back(row.kind);
    return all;
  }();
  return kinds;
}

void set_strategy(const std::string& name, Scenario& scenario) {
  const StrategyKind& kind = find_strategy(name);
  scenario.strategy = name;
  scenario.update = !kind.communicates    ? UpdateKind::Independent
                    : !kind.needs_servers ? UpdateKind::AllReduce
                    : kind.fetches        ? UpdateKind::ParameterServer
                                          : UpdateKind::DistributedReplicated;
  if (scenario.uses_servers()) scenario.gradient_scale = 1;  // only all-reduces are compressed
}

Change changed(const std::string& what, const Cluster& cluster, const Scenario& scenario) {
  const size_t equals = what.find('=');
  const std::string name = what.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : what.substr(equals + 1);
  for (const Row& row : kRows) {
    if (row.kind.name != name) continue;
    if (row.kind.value.empty() != value.empty()) {
      refuse(what, row.kind.value.empty() ? fmt::format("{} without a value", name)
                                          : fmt::format("{}=VALUE, as {}", name, row.kind.value));
    }
    Change change{.text = what, .cluster = cluster, .scenario = scenario};
    row.apply(change, value);
    return change;
  }
  std::vector<std::string_view> names;
  for (const Row& row : kRows) names.push_back(row.kind.name);
  throw UsageError("--what-if '{}': unknown change; use one of {}", what, fmt::join(names, ", "));
}

}  // namespace lockstep
