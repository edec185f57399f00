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

}  // namespace

int servers_in(const Cluster& cluster, const Scenario& scenario, const Layout& layout) {
  const int wanted = scenario.servers > 0 ? scenario.servers : cluster.servers.count;
  if (wanted == 0) return layout.nodes;
  if (wanted > layout.nodes && cluster.servers.on_workers && scenario.servers > 0) {
    throw UsageError("{} parameter servers: only {} nodes; use at most {}", wanted, layout.nodes,
                     layout.nodes);
  }
  return std::min(wanted, layout.nodes);
}

void server_step(const Cluster& cluster, const Workload& workload, const Scenario& scenario,
                 const Layout& layout, const ServerStep& alone, Prediction& result) {
  const ParameterServers& servers = cluster.servers;
  const int count = servers_in(cluster, scenario, layout);
  const int per_node = std::min(servers.workers_per_node, layout.per_node);
  const int workers = layout.nodes * per_node;
  const double forward = alone.step * workload.forward_share;
  const double backward = alone.step - forward;

  std::vector<ServerSlice> slices;
  const auto placed = placed_slices(workload, count, scenario.sharded);
  for (const PlacedSlice& each : placed) {
    slices.push_back(
        {.server = each.server,
         .bytes = each.bytes * scenario.gradient_scale,
         .ready =
             forward + backward * (scenario.overlap ? workload.gradients[each.gradient].done : 1)});
  }
  const ServerTraffic traffic{
      .slices = slices, .servers = count, .workers = workers, .workers_per_node = per_node};
  const bool one_host = layout.nodes == 1 && per_node == 1;
  const double pull = one_host ? 0 : alone.fidelity.pull_seconds(traffic);
  const double push_end = one_host ? 0 : alone.fidelity.push_end(traffic);
  const double barrier = 1e-6 * servers.barrier_us * workers * (workers - 1.0);
  const double local = servers.exposed_read * host_copy(cluster, workload, layout);
  result.hot_server_share = hottest_share(placed, count);

  double step = 0;
  if (scenario.update == UpdateKind::ParameterServer) {
    const double fetched = std::max(forward, pull + (1 - servers.hidden_pull) * forward);
    step = fetched + std::max(backward, push_end - forward);
  } else {
    step = std::max(forward + backward, push_end) + servers.exposed_read * pull;
  }
  result.forward = forward;
  result.backward = backward;
  result.exposed = step - forward - backward + barrier + local;
  result.bandwidth_time = pull + std::max(0.0, push_end - forward);
  result.latency_time = barrier;
  result.transfers = {
      {.name = "fetch values", .bytes = workload.bytes, .ready = 0, .begin = 0, .end = pull},
      {.name = "send gradients",
       .bytes = workload.bytes,
       .ready = forward,
       .begin = forward,
       .end = std::max(push_end, forward)}};
}

}  // namespace lockstep
