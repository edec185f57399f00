// cluster_keys.h: the keys of a cluster file and the members that they set.
#pragma once

#include <string>

namespace lockstep {

// Calls key(name, member) for each, but for those of [images_per_second], which are free. A new key
// is a row here, a member of Cluster, and a row of the table in docs/simulating.md.
template <typename Cluster, typename Key>
void visit_cluster_keys(Cluster& cluster, const Key& key) {
  key("description", cluster.description);
  key("nodes", cluster.nodes);
  key("devices_per_node", cluster.devices_per_node);
  key("price_per_node_hour", cluster.price_per_node_hour);
  key("calibrated_devices", cluster.calibrated_devices);
  key("device.kind", cluster.device_kind);
  key("device.name", cluster.device_name);
  key("node.links", cluster.node.links);
  key("node.ring_gbyte", cluster.node.ring_gbyte);
  key("node.latency_us", cluster.node.latency_us);
  key("node.host_gbyte", cluster.node.host_gbyte);
  key("node.shared_slowdown", cluster.node.shared_slowdown);
  key("node.others_slowdown", cluster.node.others_slowdown);
  key("node.cores", cluster.node.cores);
  key("network.line_gbit", cluster.network.line_gbit);
  key("network.interfaces", cluster.network.interfaces);
  key("network.transport", cluster.network.transport);
  key("network.spread", cluster.network.spread);
  key("network.rack_nodes", cluster.network.rack_nodes);
  key("network.oversubscription", cluster.network.oversubscription);
  key("network.rank_order", cluster.network.rank_order);
  for (auto& [name, transport] : cluster.transports) {
    const std::string prefix = "transport." + name + ".";
    key(prefix + "efficiency", transport.efficiency);
    key(prefix + "latency_us", transport.latency_us);
    key(prefix + "flow_gbit", transport.flow_gbit);
    key(prefix + "flows", transport.flows);
    key(prefix + "gbyte", transport.gbyte);
  }
  key("collectives.library", cluster.collectives.library);
  key("collectives.version", cluster.collectives.version);
  key("collectives.algorithm", cluster.collectives.algorithm);
  key("collectives.gbyte", cluster.collectives.gbyte);
  key("collectives.sizes", cluster.collectives.sizes);
  key("schedule.scheduler", cluster.schedule.scheduler);
  key("schedule.horovod_version", cluster.schedule.horovod_version);
  key("schedule.fusion_mb", cluster.schedule.fusion_mb);
  key("schedule.cycle_ms", cluster.schedule.cycle_ms);
  key("schedule.bucket_mb", cluster.schedule.bucket_mb);
  key("schedule.tensor_us", cluster.schedule.tensor_us);
  key("schedule.collective_us", cluster.schedule.collective_us);
  key("schedule.overhead", cluster.schedule.overhead);
  key("schedule.interference", cluster.schedule.interference);
  key("servers.count", cluster.servers.count);
  key("servers.on_workers", cluster.servers.on_workers);
  key("servers.stream_gbyte", cluster.servers.stream_gbyte);
  key("servers.gbyte", cluster.servers.gbyte);
  key("servers.loopback_gbyte", cluster.servers.loopback_gbyte);
  key("servers.request_us", cluster.servers.request_us);
  key("servers.barrier_us", cluster.servers.barrier_us);
  key("servers.hidden_pull", cluster.servers.hidden_pull);
  key("servers.exposed_read", cluster.servers.exposed_read);
  key("servers.workers_per_node", cluster.servers.workers_per_node);
  key("servers.interference", cluster.servers.interference);
  key("jitter.rank", cluster.jitter.rank);
  key("jitter.node", cluster.jitter.node);
  key("input.images_per_core_second", cluster.input.images_per_core_second);
}

}  // namespace lockstep
