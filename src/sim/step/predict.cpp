#include "sim/step/predict.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "sim/cluster/hardware_tables.h"
#include "sim/message/message_fidelity.h"
#include "sim/model/expected_largest.h"
#include "sim/model/link_rates.h"
#include "sim/model/link_use.h"
#include "sim/step/all_reduce_schedule.h"
#include "sim/step/server_step.h"

namespace lockstep {
namespace {

// Nothing runs beside all-reduces that begin when backward has ended.
double interference_of(const Cluster& cluster, const Scenario& scenario) {
  if (!overlaps(cluster, scenario)) return 0;
  if (cluster.schedule.interference >= 0) return cluster.schedule.interference;
  return library_row(library_of(cluster, scenario), cluster.collectives.version).interference;
}

// Devices of a node that is in use slow each other down; so do the slowest nodes everyone.
double compute_scale(const Cluster& cluster, const Scenario& scenario, const Layout& layout) {
  const double crowded = 1 + cluster.node.shared_slowdown * (layout.per_node - 1.0) /
                                 std::max(1, cluster.devices_per_node - 1);
  const double others = layout.nodes > 1 ? 1 + cluster.node.others_slowdown : 1;
  const double slowest = scenario.slow_nodes > 0 ? 1 / scenario.slow_speed : 1;
  return crowded * others * slowest;
}

// Forward, backward and transfers of an all-reduce strategy.
void all_reduce_step(const Cluster& cluster, const Workload& workload, const Scenario& scenario,
                     const Layout& layout, const Fidelity& fidelity, Prediction& result) {
  const double compute = scenario.one_device_step * compute_scale(cluster, scenario, layout) *
                         (1 + cluster.schedule.overhead);
  const CollectiveCost cost = collective_cost(cluster, scenario, layout);
  result.forward = compute * workload.forward_share;
  const double undisturbed = compute - result.forward;
  const double interference = interference_of(cluster, scenario);
  const auto schedule = [&](double beside) {  // seconds in which all-reduces run beside backward
    result.slowed = interference * beside;
    result.backward = undisturbed + result.slowed;
    result.transfers = schedule_all_reduces(
        cluster, scenario, workload, {.forward_end = result.forward, .backward = result.backward},
        fidelity);
  };
  const double beside = std::min(cost.bandwidth_seconds(workload.bytes), undisturbed);
  schedule(beside);
  const double at_most = result.forward + result.backward - result.transfers.front().begin;
  if (interference > 0 && at_most < beside) schedule(std::max(0.0, at_most));
  result.exposed = std::max(0.0, result.transfers.back().end - result.forward - result.backward);
  for (const PredictedTransfer& each : result.transfers) {
    const double bandwidth = cost.bandwidth_seconds(each.bytes);
    result.bandwidth_time += bandwidth;
    result.latency_time += each.end - each.begin - bandwidth;
  }
}

void add_input(const Cluster& cluster, const Scenario& scenario, const Layout& layout,
               Prediction& result) {
  if (!scenario.real_data || cluster.node.cores == 0) return;
  const double images = static_cast<double>(layout.per_node) * scenario.batch;
  const double decoding = images / (cluster.node.cores * cluster.input.images_per_core_second);
  // Decoding takes cores and memory from the threads that launch and copy: it costs time long
  // before it is the slower of the two.
  constexpr double kPower = 1.5;
  const double joined =
      std::pow(std::pow(result.step, kPower) + std::pow(decoding, kPower), 1 / kPower);
  result.input = joined - result.step;
  result.step = joined;
}

LinkUse links_in(const Cluster& cluster, const Workload& workload, const Scenario& scenario,
                 const Layout& layout, const Prediction& result) {
  if (scenario.update == UpdateKind::AllReduce) {
    return all_reduce_link_use(cluster, scenario, layout, result.transfers, result.step);
  }
  const SentToServers sent =
      sent_to_servers(cluster, workload, scenario, layout,
                      {.forward = result.forward, .backward = result.backward});
  return server_link_use(cluster, layout, sent.traffic(), result.step);
}

// Servers on nodes of their own leave fewer to the workers.
void need_nodes_for_servers(const Cluster& cluster, const Scenario& scenario,
                            const Layout& layout) {
  const int servers = server_nodes(cluster, scenario, layout);
  if (layout.nodes + servers <= cluster.nodes) return;
  throw UsageError(
      "{} nodes compute and {} are parameter servers (servers.on_workers = false): cluster {} has "
      "only {} nodes",
      layout.nodes, servers, cluster.name, cluster.nodes);
}

}  // namespace

Prediction predict(const Cluster& cluster, const Workload& workload, const Scenario& scenario,
                   FidelityKind kind, Detail detail) {
  const Layout layout = layout_of(cluster, scenario);
  Prediction result;
  result.nodes = layout.nodes;
  result.per_node = layout.per_node;
  const double scale = compute_scale(cluster, scenario, layout);
  const bool alone = layout.ranks == 1 || scenario.update == UpdateKind::Independent;
  if (alone) {
    result.forward = scenario.one_device_step * scale * workload.forward_share;
    result.backward = scenario.one_device_step * scale - result.forward;
  } else {
    std::unique_ptr<Fidelity> messages;
    const ScheduleFidelity formulas(cluster, scenario, layout);
    if (kind == FidelityKind::Message) messages = message_fidelity(cluster, scenario, layout);
    const Fidelity& fidelity = messages ? *messages : static_cast<const Fidelity&>(formulas);
    if (scenario.update == UpdateKind::AllReduce) {
      all_reduce_step(cluster, workload, scenario, layout, fidelity, result);
    } else {
      need_nodes_for_servers(cluster, scenario, layout);
      server_step(cluster, workload, scenario, layout,
                  {.step = scenario.one_device_step * scale, .fidelity = fidelity}, result);
    }
    const Jitter& jitter = cluster.jitter;
    result.late = scenario.one_device_step * (jitter.rank * expected_largest(layout.ranks) +
                                              jitter.node * expected_largest(layout.nodes));
  }
  result.step = result.forward + result.backward + result.exposed + result.late;
  add_input(cluster, scenario, layout, result);
  result.images_per_second = scenario.batch * static_cast<double>(layout.ranks) / result.step;
  if (layout.nodes > 1 && result.step > 0) {
    result.network_busy = std::min(1.0, result.bandwidth_time / result.step);
  }
  if (detail == Detail::Numbers) {
    result.transfers.clear();
  } else if (!alone) {
    result.links = links_in(cluster, workload, scenario, layout, result);
  }
  return result;
}

int server_nodes(const Cluster& cluster, const Scenario& scenario, const Layout& layout) {
  const bool served = scenario.update == UpdateKind::ParameterServer ||
                      scenario.update == UpdateKind::DistributedReplicated;
  return served && !cluster.servers.on_workers ? servers_in(cluster, scenario, layout) : 0;
}

std::optional<Band> band_of(const Cluster& cluster, const Scenario& scenario,
                            const Prediction& prediction) {
  const auto measured = [&](const char* key) {
    const auto note = cluster.notes.find(key);
    return note != cluster.notes.end() && note->second.kind == EntryKind::Measured;
  };
  const bool ranks_measured = measured("jitter.rank"), nodes_measured = measured("jitter.node");
  if (scenario.devices == 1 || (!ranks_measured && !nodes_measured)) return std::nullopt;
  const double ranks = scenario.devices, nodes = prediction.nodes;
  // What was not measured stays at what is expected of it.
  const auto largest = [](bool known, double count, double probability) {
    if (count <= 1) return 0.0;
    return known ? largest_quantile(count, probability) : expected_largest(count);
  };
  const auto rate_at = [&](double probability) {
    const double late = scenario.one_device_step *
                        (cluster.jitter.rank * largest(ranks_measured, ranks, probability) +
                         cluster.jitter.node * largest(nodes_measured, nodes, probability));
    return scenario.batch * ranks / (prediction.step - prediction.late + late);
  };
  return Band{.low = rate_at(0.95), .high = rate_at(0.05)};
}

double one_device_step_for(const Cluster& cluster, const Workload& workload, Scenario scenario,
                           double images_per_second) {
  double low = 0, high = scenario.batch * static_cast<double>(scenario.devices) / images_per_second;
  for (int i = 0; i < 60; ++i) {
    scenario.one_device_step = (low + high) / 2;
    const bool fast = predict(cluster, workload, scenario).images_per_second > images_per_second;
    (fast ? low : high) = scenario.one_device_step;
  }
  if (low == 0) {
    throw UsageError(
        "{} devices cannot reach {:.5g} images/sec on cluster {}: communication alone takes "
        "longer; "
        "check its network",
        scenario.devices, images_per_second, cluster.name);
  }
  return (low + high) / 2;
}

}  // namespace lockstep
