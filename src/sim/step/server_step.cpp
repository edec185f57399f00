#include "sim/step/server_step.h"

#include <algorithm>

#include "base/error.h"
#include "sim/cluster/hardware_tables.h"
#include "sim/model/server_placement.h"

namespace lockstep {
namespace {

// Values in host memory: every device of a worker fetches all of them.
double host_copy(const Cluster& cluster, const Workload& workload, const Layout& layout) {
  if (cluster.device_kind != "gpu" || layout.per_node == 1) return 0;
  double gbyte = cluster.node.host_gbyte;
  if (gbyte == 0) gbyte = links_of(cluster.node).host_gbyte;
  return workload.bytes / (gbyte * 1e9);
}

// Workers fetch one variable after the other, all at the same time: nothing moves while they wait
// for the answers to their requests.
double request_seconds(const Cluster& cluster, const SentToServers& sent) {
  return 1e-6 * cluster.servers.request_us * static_cast<double>(sent.slices.size());
}

}  // namespace

int servers_in(const Cluster& cluster, const Scenario& scenario, const Layout& layout) {
  const int wanted = scenario.servers > 0 ? scenario.servers : cluster.servers.count;
  if (wanted == 0) return layout.nodes;
  if (!cluster.servers.on_workers) return wanted;
  if (wanted > layout.nodes && scenario.servers > 0) {
    throw UsageError("{} parameter servers: only {} nodes; use at most {}", wanted, layout.nodes,
                     layout.nodes);
  }
  return std::min(wanted, layout.nodes);
}

int worker_nodes(const Cluster& cluster, const Scenario& scenario) {
  if (!scenario.uses_servers() || cluster.servers.on_workers) return cluster.nodes;
  const int servers = scenario.servers > 0 ? scenario.servers : cluster.servers.count;
  return servers > 0 ? std::max(0, cluster.nodes - servers) : cluster.nodes / 2;
}

SentToServers sent_to_servers(const Cluster& cluster, const Workload& workload,
                              const Scenario& scenario, const Layout& layout,
                              const ComputeTimes& times) {
  SentToServers sent;
  sent.servers = servers_in(cluster, scenario, layout);
  sent.workers_per_node = std::min(cluster.servers.workers_per_node, layout.per_node);
  sent.workers = layout.nodes * sent.workers_per_node;
  const auto placed = placed_slices(workload, sent.servers, scenario.sharded);
  for (const PlacedSlice& each : placed) {
    const double done = scenario.overlap ? workload.gradients[each.gradient].done : 1;
    sent.slices.push_back({.server = each.server,
                           .bytes = each.bytes * scenario.gradient_scale,
                           .ready = times.forward + times.backward * done});
  }
  sent.hot_share = hottest_share(placed, sent.servers);
  return sent;
}

void server_step(const Cluster& cluster, const Workload& workload, const Scenario& scenario,
                 const Layout& layout, const ServerStep& alone, Prediction& result) {
  const ParameterServers& servers = cluster.servers;
  const double forward = alone.step * workload.forward_share;
  double backward = alone.step - forward;
  SentToServers sent = sent_to_servers(cluster, workload, scenario, layout, {forward, backward});
  const bool one_host = layout.nodes == 1 && servers.on_workers && sent.workers_per_node == 1;
  const double moving = one_host ? 0 : alone.fidelity.pull_seconds(sent.traffic());
  const double requests = one_host ? 0 : request_seconds(cluster, sent);
  const double pull = moving + requests;
  if (servers.interference > 0 && scenario.overlap) {  // gradients are as many bytes as values
    result.slowed = servers.interference * std::min(moving, backward);
    backward += result.slowed;
    sent = sent_to_servers(cluster, workload, scenario, layout, {forward, backward});
  }
  const double push_end = one_host ? 0 : alone.fidelity.push_end(sent.traffic());
  const double barrier = 1e-6 * servers.barrier_us * sent.workers * (sent.workers - 1.0);
  const double local = servers.exposed_read * host_copy(cluster, workload, layout);

  double step = 0, pull_begin = 0;
  if (scenario.update == UpdateKind::ParameterServer) {
    const double fetched = std::max(forward, pull + (1 - servers.hidden_pull) * forward);
    result.forward_begin = fetched - forward;
    step = fetched + std::max(backward, push_end - forward);
  } else {
    pull_begin = std::max(forward + backward, push_end) - (1 - servers.exposed_read) * pull;
    step = pull_begin + pull;
  }
  result.forward = forward;
  result.backward = backward;
  result.exposed = step - forward - backward + barrier + local;
  result.bandwidth_time = 2 * moving;
  result.latency_time = barrier;
  result.hot_server_share = sent.hot_share;
  const double begin = result.forward_begin;
  result.transfers = {{.name = "fetch values",
                       .bytes = workload.bytes,
                       .ready = pull_begin,
                       .begin = pull_begin,
                       .end = pull_begin + pull},
                      {.name = "send gradients",
                       .bytes = workload.bytes,
                       .ready = begin + forward,
                       .begin = begin + forward,
                       .end = begin + std::max(push_end, forward)}};
}

}  // namespace lockstep
