#include "sim/calibrate/sweep_curves.h"

#include <algorithm>
#include <map>

#include "config/run_id.h"
#include "config/run_label.h"
#include "report/results/launch_rate.h"
#include "sim/answers/what_if.h"
#include "sim/cluster/cluster_file.h"
#include "sim/step/predict.h"

namespace lockstep {
namespace {

constexpr std::string_view kScaled[] = {"num-devices", "nodes", "hosts", "num-workers"};

// What lockstep's own trainer has, and nothing else: its communicators on CPUs, NCCL on GPUs.
Cluster unknown_cluster(const RunConfig& config, int per_node) {
  Cluster cluster = read_cluster("nodes = 1", "sweep").cluster;
  cluster.name = "the sweep's hosts";
  cluster.nodes = 1'000'000;
  cluster.devices_per_node = per_node;
  cluster.network.line_gbit = kAssumedGbit;
  cluster.schedule.overhead = 0;
  if (config.device == "cpu") {
    cluster.device_kind = "cpu";
    cluster.node.links = "shm";
    cluster.collectives.library = "lockstep";
    cluster.schedule.interference = 0;
  }
  cluster.jitter = {.rank = 0.01, .node = 0};
  cluster.servers.workers_per_node = per_node;
  cluster.servers.hidden_pull = 0;  // all values are fetched before forward
  cluster.servers.barrier_us = 0;   // servers count; workers send no tokens
  return cluster;
}

}  // namespace

std::vector<Curve> curves_in(const std::vector<StoredRun>& runs) {
  std::map<std::string, std::map<int, CurvePoint>> groups;
  for (const StoredRun& run : runs) {
    const double rate = rate_of(run.result);
    if (!run.measured() || run.result.simulated() || !(rate > 0)) continue;
    CurvePoint& point =
        groups[canonical_text(run.result.config, kScaled)][run.result.facts.devices];
    point.devices = run.result.facts.devices;
    point.nodes = run.result.facts.nodes;
    point.threads = run.result.facts.threads;
    point.config = run.result.config;
    point.config.batch_size = run.result.facts.batch_size;
    point.images_per_second =  // mean of the times, not of the rates
        point.launches == 0
            ? rate
            : (point.launches + 1) / (point.launches / point.images_per_second + 1 / rate);
    ++point.launches;
  }
  std::vector<Curve> curves;
  for (auto& [text, by_devices] : groups) {
    Curve& curve = curves.emplace_back();
    for (auto& [devices, point] : by_devices) curve.points.push_back(std::move(point));
    const RunConfig& config = curve.config();
    curve.label = fmt::format("{}:{} {} on {}", config.model, config.batch_size,
                              config.variable_update, engine_label(config));
  }
  return curves;
}

FittedCurve fit_curve(const Curve& curve, size_t count, const std::optional<Cluster>& cluster) {
  const CurvePoint& last = curve.points.back();
  const int per_node = (last.devices + last.nodes - 1) / last.nodes;
  const RunConfig& config = curve.config();
  FittedCurve fitted{.cluster = cluster ? *cluster : unknown_cluster(config, per_node)};
  Scenario& scenario = fitted.scenario;
  set_strategy(config.variable_update, scenario);
  scenario.batch = config.batch_size;
  scenario.per_node = per_node;
  scenario.overlap = config.overlap;
  scenario.bucket_mb = config.bucket_mb;
  scenario.sharded = config.ps_placement == "sharded";
  scenario.real_data = !config.data_dir.empty();
  scenario.servers = config.num_ps.value_or(1);
  if (config.gradient_compression != "none") scenario.gradient_scale = 0.5;  // fp16 or bf16
  const Workload& workload = workload_of(config);
  const CurvePoint& base = curve.points.front();
  if (base.devices == 1 && !scenario.real_data) {
    scenario.one_device_step = scenario.batch / base.images_per_second;
  } else {
    const KnownRun run{.scenario = scenario_at(fitted, base.devices),
                       .images_per_second = base.images_per_second};
    start_from_run(fitted.cluster, workload, run, scenario);
  }
  fitted.known = fmt::format("{} device{}", base.devices, base.devices == 1 ? "" : "s");
  if (count < 2) return fitted;
  const CurvePoint& largest = curve.points[count - 1];
  const RunFit fit = fit_run(fitted.cluster, workload, scenario_at(fitted, largest.devices),
                             largest.images_per_second);
  apply(fit, fitted.cluster, scenario);
  fitted.known += fmt::format(" and {}: {}", largest.devices, fit.words());
  return fitted;
}

Scenario scenario_at(const FittedCurve& fitted, int devices) {
  Scenario scenario = fitted.scenario;
  scenario.devices = devices;
  if (fitted.cluster.servers.on_workers) {
    const int nodes = layout_of(fitted.cluster, scenario).nodes;
    scenario.servers = std::min(scenario.servers, nodes);
  }
  return scenario;
}

}  // namespace lockstep
