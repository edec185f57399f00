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

// Horovod's thread does not wait for steps, so they begin in any phase of its cycle.
std::span<const double> phases_of(const Cluster& cluster, const Scenario& scenario) {
  static constexpr double kPhases[] = {0.1, 0.3, 0.5, 0.7, 0.9};
  const bool cycles = scheduler_of(cluster, scenario) == "horovod";
  return std::span(kPhases).first(cycles ? std::size(kPhases) : 1);
}

// The transfers of the phase with the median time that is exposed.
void take_transfers(std::vector<Prediction>& phases, const CollectiveCost& cost,
                    Prediction& result) {
  const auto middle = phases.begin() + std::ssize(phases) / 2;
  std::ranges::nth_element(phases, middle, {}, &Prediction::exposed);
  result.transfers = std::move(middle->transfers);
  for (const PredictedTransfer& each : result.transfers) {
    const double bandwidth = cost.bandwidth_seconds(each.bytes);
    result.bandwidth_time += bandwidth;
    result.latency_time += each.end - each.begin - bandwidth;
  }
}

// Forward, backward and transfers of an all-reduce strategy: means over the phases.
void all_reduce_step(const Cluster& cluster, const Workload& workload, const Scenario& scenario,
                     const Layout& layout, const Fidelity& fidelity, Prediction& result) {
  const double compute = scenario.one_device_step * compute_scale(cluster, scenario, layout) *
                         (1 + cluster.schedule.overhead);
  const CollectiveCost cost = collective_cost(cluster, scenario, layout);
  result.forward = compute * workload.forward_share;
  const double undisturbed = compute - result.forward;
  const double interference = interference_of(cluster, scenario);
  const auto schedule = [&](double phase, double beside) {  // seconds beside backward
    Prediction each;
    each.slowed = interference * beside;
    each.backward = undisturbed + each.slowed;
    each.transfers = schedule_all_reduces(
        cluster, scenario, workload,
        {.forward_end = result.forward, .backward = each.backward, .phase = phase}, fidelity);
    each.exposed = std::max(0.0, each.transfers.back().end - result.forward - each.backward);
    return each;
  };
  const double beside = std::min(cost.bandwidth_seconds(workload.bytes), undisturbed);
  const std::span<const double> phases = phases_of(cluster, scenario);
  const auto count = static_cast<double>(phases.size());
  std::vector<Prediction> steps;
  for (const double phase : phases) {
    Prediction& each = steps.emplace_back(schedule(phase, beside));
    const double at_most = result.forward + each.backward - each.transfers.front().begin;
    if (interference > 0 && at_most < beside) each = schedule(phase, std::max(0.0, at_most));
    result.slowed += each.slowed / count;
    result.backward += each.backward / count;
    result.exposed += each.exposed / count;
  }
  take_transfers(steps, cost, result);
}

// Seconds in which the cores of a full node decode its images; 0 where input never limits.
double decoding_seconds(const Cluster& cluster, const Scenario& scenario, const Layout& layout) {
  if (!scenario.real_data || cluster.node.cores == 0) return 0;
  const double images = static_cast<double>(layout.per_node) * scenario.batch;
  return images / (cluster.node.cores * cluster.input.images_per_core_second);
}

void add_input(const Cluster& cluster, const Scenario& scenario, const Layout& layout,
               Prediction& result) {
  const double decoding = decoding_seconds(cluster, scenario, layout);
  if (decoding == 0) return;
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
  const bool own = scenario.uses_servers() && !cluster.servers.on_workers;
  return own ? servers_in(cluster, scenario, layout) : 0;
}

std::optional<Band> band_of(const Cluster& cluster, const Scenario& scenario,
                            const Prediction& prediction) {
  const bool ranks_measured = cluster.measured("jitter.rank");
  const bool nodes_measured = cluster.measured("jitter.node");
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
    const bool decodes = decoding_seconds(cluster, scenario, layout_of(cluster, scenario)) > 0;
    throw UsageError("{} devices cannot reach {:.5g} images/sec on cluster {}: {}",
                     scenario.devices, images_per_second, cluster.name,
                     decodes ? "communication and decoding alone take longer; check its network "
                               "and node.cores"
                             : "communication alone takes longer; check its network");
  }
  return (low + high) / 2;
}

void start_from_run(const Cluster& cluster, const Workload& workload, const KnownRun& run,
                    Scenario& scenario) {
  Scenario seen = run.scenario;
  const double images = seen.batch * static_cast<double>(seen.devices);
  const double decoding = decoding_seconds(cluster, seen, layout_of(cluster, seen));
  if (decoding * run.images_per_second >= images) scenario.real_data = false;
  seen.real_data = seen.real_data && scenario.real_data;
  scenario.one_device_step = one_device_step_for(cluster, workload, seen, run.images_per_second);
}

}  // namespace lockstep
