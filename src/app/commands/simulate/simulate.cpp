// simulate.cpp: `lockstep simulate`: predicts images/sec and efficiency on a cluster.
#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>
#include <set>

#include "app/command_line.h"
#include "app/commands/simulate/simulate_options.h"
#include "app/commands/simulate/simulate_text.h"
#include "app/program.h"
#include "base/atomic_file.h"
#include "base/error.h"
#include "base/regular_file.h"
#include "base/text.h"
#include "config/json.h"
#include "nn/description/network_file.h"
#include "report/analysis/scaling.h"
#include "report/render/scaling_text.h"
#include "sim/answers/simulated_result.h"
#include "sim/answers/what_if.h"
#include "sim/calibrate/check_sweep.h"
#include "sim/calibrate/measured_jitter.h"
#include "sim/cluster/known_rates.h"
#include "sim/cluster/ready_clusters.h"
#include "sim/step/server_step.h"
#include "sim/validate/validate_text.h"

namespace lockstep {
namespace {

constexpr std::pair<std::string_view, KnownRuns> kKnown[] = {
    {"device", KnownRuns::Device}, {"node", KnownRuns::Node}, {"smallest", KnownRuns::Smallest}};

std::vector<PublishedRow> rows_of(const std::string& name) {
  if (name == "own") return own_published_rows();
  return read_published(read_regular_file(name, {.pipes = true}), name);
}

int validate_command(Context& context, const SimulateOptions& options) {
  KnownRuns known = KnownRuns::Node;
  for (const auto& [name, kind] : kKnown) {
    if (name == options.known) known = kind;
  }
  const Validation validation =
      validate(rows_of(options.validate), options.clusters_directory, known);
  for (const std::string& line : validation.skipped) context.err << "note: " << line << "\n";
  if (validation.rows.empty()) throw UsageError("{}: no row to predict", options.validate);
  if (options.json) {
    context.out << validation_json(validation).dump(1) << "\n";
  } else {
    context.out << validation_table(validation) << "\n" << error_table(validation);
  }
  return kSuccess;
}

// What every run of the command has in common.
struct Setup {
  Cluster cluster;
  Workload workload = {};
  Scenario scenario = {};
  FidelityKind fidelity = FidelityKind::Schedule;
};

// The rate of the cluster file for this model in fp32: at the given batch, or at the only one.
std::pair<int, double> rate_in_file(const Cluster& cluster, const std::string& model, int batch) {
  std::vector<std::string> known;  // also those of other precisions
  std::pair<int, double> found = {0, 0};
  int fitting = 0;
  for (const auto& [key, rate] : cluster.images_per_second) {
    const RateKey each = rate_key_of(key);
    if (each.model != model) continue;
    known.push_back(key.substr(key.find(':') + 1));
    const bool fp32 = each.precision.empty() || each.precision == "fp32";
    if (!fp32 || (batch > 0 && batch != each.batch)) continue;
    found = {each.batch, rate};
    ++fitting;
  }
  if (fitting == 1) return found;
  throw UsageError(
      "cluster {} has no one-device rate of {}{}{}; give --images-per-second or --profile",
      cluster.name, model, batch > 0 ? fmt::format(" at batch size {}", batch) : "",
      known.empty() ? "" : fmt::format(" (it has {})", fmt::join(known, ", ")));
}

void set_compute(const SimulateOptions& options, Setup& setup) {
  Scenario& scenario = setup.scenario;
  if (!options.profile.empty()) {
    const RunResult profile = read_result(options.profile);
    RunConfig run = profile.config;
    if (!options.model.empty()) {
      run.model = options.model;
      run.network.clear();
    }
    setup.workload = workload_of(run, profile);
    if (options.batch_size > 0 && options.batch_size != profile.facts.batch_size) {
      throw UsageError("--batch-size {}: --profile ran with {}; profile the same batch size",
                       options.batch_size, profile.facts.batch_size);
    }
    scenario.batch = profile.facts.batch_size;
    const double rate = profile.throughput.total_images_per_second;
    if (profile.error || !(rate > 0))
      throw UsageError("--profile: {} measured nothing", options.profile);
    if (profile.facts.devices != 1) {
      throw UsageError("--profile: {} is a run on {} devices; profile one device", options.profile,
                       profile.facts.devices);
    }
    take_rank_jitter(profile, setup.cluster);
    scenario.one_device_step = scenario.batch / rate;
    if (run.data_dir.empty() || !scenario.real_data) return;
    const KnownRun measured{.scenario = scenario, .images_per_second = rate};
    start_from_run(setup.cluster, setup.workload, measured, scenario);  // it decoded its images
    return;
  }
  setup.workload = workload_of(options.model);
  if (options.images_per_second) {
    scenario.batch =
        options.batch_size > 0 ? options.batch_size : model_named(options.model).default_batch_size;
    scenario.one_device_step = scenario.batch / *options.images_per_second;
    return;
  }
  const auto [batch, rate] = rate_in_file(setup.cluster, setup.workload.model, options.batch_size);
  scenario.batch = batch;
  scenario.one_device_step = batch / rate;
}

Setup setup_of(const SimulateOptions& options) {
  Setup setup{.cluster = load_cluster(options.cluster, options.clusters_directory)};
  Scenario& scenario = setup.scenario;
  set_strategy(options.variable_update, scenario);
  scenario.per_node = options.devices_per_node;
  scenario.servers = options.num_ps.value_or(0);
  if (scenario.servers > setup.cluster.nodes) {
    throw UsageError("--num-ps {}: cluster {} has {} nodes; use at most {}", scenario.servers,
                     setup.cluster.name, setup.cluster.nodes, setup.cluster.nodes);
  }
  scenario.sharded = options.sharded;
  scenario.overlap = options.overlap;
  scenario.real_data = options.real_data;
  if (options.fp16 && scenario.uses_servers()) {
    throw UsageError("--fp16-gradients: {} does not compress gradients; use an all-reduce strategy",
                     scenario.strategy);
  }
  if (options.fp16) scenario.gradient_scale = 0.5;
  if (options.bucket_mb) {
    Change change =
        changed(fmt::format("bucket-mb={}", *options.bucket_mb), setup.cluster, scenario);
    scenario = change.scenario;
    setup.cluster = std::move(change.cluster);
  }
  for (const std::string& change :
       {options.transport.empty() ? "" : "transport=" + options.transport,
        options.algorithm.empty() ? "" : "algorithm=" + options.algorithm}) {
    if (!change.empty()) scenario = changed(change, setup.cluster, scenario).scenario;
  }
  set_compute(options, setup);
  if (options.fidelity == "message") setup.fidelity = FidelityKind::Message;
  return setup;
}

// 1, 2, 4, ... and the whole cluster, without the nodes that servers have for themselves.
std::vector<int> devices_of(const SimulateOptions& options, const Setup& setup) {
  const Cluster& cluster = setup.cluster;
  const int per_node =
      options.devices_per_node > 0 ? options.devices_per_node : cluster.devices_per_node;
  if (per_node > cluster.devices_per_node) {
    throw UsageError("--devices-per-node {}: nodes of cluster {} have {} devices; use at most {}",
                     per_node, cluster.name, cluster.devices_per_node, cluster.devices_per_node);
  }
  const int nodes = worker_nodes(cluster, setup.scenario), most = nodes * per_node;
  if (nodes == 0) {
    throw UsageError(
        "parameter servers leave no worker: cluster {} has {} (servers.on_workers = false)",
        cluster.name, count_text(cluster.nodes, "node"));
  }
  if (options.devices.empty()) {
    std::vector<int> all;
    for (int64_t n = 1; n < most; n *= 2) all.push_back(static_cast<int>(n));
    all.push_back(most);
    return all;
  }
  const int largest = std::ranges::max(options.devices);
  if (nodes < cluster.nodes && largest > most) {
    throw UsageError(
        "--devices {}: parameter servers have {} of the {} nodes of cluster {}; use "
        "at most {}",
        largest, cluster.nodes - nodes, cluster.nodes, cluster.name, most);
  }
  const std::set<int> each(options.devices.begin(), options.devices.end());
  return {each.begin(), each.end()};
}

std::vector<SimulatedPoint> points_of(const SimulateOptions& options, const Setup& setup,
                                      const std::vector<int>& all) {
  std::vector<SimulatedPoint> points;
  const int most = std::ranges::max(all);
  for (const int devices : all) {
    SimulatedPoint point{.scenario = setup.scenario};
    point.scenario.devices = devices;
    const bool smaller = devices < most || options.devices.empty();
    if (point.scenario.servers > 0 && smaller &&
        setup.cluster.servers.on_workers) {  // a scaling curve begins with fewer nodes
      const Layout layout = layout_of(setup.cluster, point.scenario);
      point.scenario.servers = std::min(point.scenario.servers, layout.nodes);
    }
    point.prediction =
        predict(setup.cluster, setup.workload, point.scenario, setup.fidelity, Detail::Transfers);
    points.push_back(std::move(point));
  }
  return points;
}

// Far beyond what was measured, the numbers are extrapolated.
std::string warning_on(const Cluster& cluster, int devices) {
  const int64_t most = int64_t{kFarthest} * cluster.calibrated_devices;
  if (cluster.calibrated_devices == 0 || devices <= most) return "";
  return fmt::format("{} devices are more than {} times the {} that were calibrated", devices,
                     kFarthest, cluster.calibrated_devices);
}

// The most devices that anything is said about.
int farthest(const SimulatedRuns& runs) {
  int most = runs.largest().scenario.devices;
  for (const Plan& plan : runs.plans) most = std::max(most, plan.devices);
  return most;
}

std::vector<RunResult> results_of(const SimulateOptions& options, const Setup& setup,
                                  const std::vector<SimulatedPoint>& points) {
  std::vector<RunResult> results;
  for (const SimulatedPoint& point : points) {
    results.push_back(
        simulated_result({.cluster = setup.cluster,
                          .workload = setup.workload,
                          .scenario = point.scenario,
                          .prediction = point.prediction,
                          .fidelity = options.fidelity,
                          .warning = warning_on(setup.cluster, point.scenario.devices)},
                         config_of(setup.cluster, setup.workload, point.scenario)));
  }
  return results;
}

int simulate_runs(Context& context, const SimulateOptions& options) {
  if (const std::string why = options.trace_file.empty() ? "" : why_unwritable(options.trace_file);
      !why.empty()) {
    throw UsageError("cannot write --trace-file {}: {}", options.trace_file, why);
  }
  const Setup setup = setup_of(options);
  if (options.real_data && !setup.scenario.real_data) {
    context.err << "note: --real-data is ignored: the profile is faster than node.cores decode\n";
  }
  const std::vector<int> devices = devices_of(options, setup);
  SimulatedRuns runs{.cluster = setup.cluster,
                     .workload = setup.workload,
                     .fidelity = setup.fidelity,
                     .points = points_of(options, setup, devices),
                     .target = options.target};
  if (runs.target) {
    runs.plans = plans_for(runs.cluster, runs.workload, runs.largest().scenario, *runs.target);
  }
  runs.warning = warning_on(setup.cluster, farthest(runs));
  std::vector<std::string> changes = options.what_if;
  changes.insert(changes.end(), options.more_changes.begin(), options.more_changes.end());
  for (const std::string& change : changes) changed(change, setup.cluster, setup.scenario);
  if (!options.output.empty()) const ResultsStore nobody_else_writes(options.output);
  std::string text;  // nothing is printed of what fails later
  if (options.json) {
    text = simulated_json(runs, changes).dump(1) + "\n";
  } else {
    text = scaling_of(runs) + why_lines(runs);
    if (!changes.empty()) text += "\n" + what_if_table(runs, changes);
    if (runs.target) text += "\n" + target_table(runs);
  }
  context.out << text;
  if (!runs.warning.empty()) context.err << "note: " << runs.warning << "\n";
  if (!options.output.empty()) {
    std::vector<int> stored = devices;
    if (stored.front() > 1) stored.insert(stored.begin(), 1);  // what efficiency is relative to
    store_simulated(options.output, results_of(options, setup, points_of(options, setup, stored)));
    context.err << "wrote " << options.output << "; 'lockstep report " << options.output
                << "' shows it\n";
  }
  if (!options.trace_file.empty()) {
    const SimulatedPoint& largest = runs.largest();
    const RankTrace trace =
        step_trace(setup.workload, largest.prediction,
                   fmt::format("any of {} ranks, simulated", largest.scenario.devices));
    write_whole_file(options.trace_file,
                     chrome_trace("lockstep " + setup.workload.model, std::span(&trace, 1)));
    context.err << "wrote " << options.trace_file << "\n";
  }
  return kSuccess;
}

}  // namespace

int simulate_command(RunContext& context, std::span<const std::string> arguments) {
  SimulateOptions options;
  const CommandSyntax syntax = simulate_syntax(options);
  if (answered(context, syntax, arguments)) return kSuccess;
  check_options(options);
  if (options.list_clusters) {
    const std::vector<ListedCluster> clusters = listed_clusters(options.clusters_directory);
    context.out << (options.json ? cluster_list_json(clusters).dump(1) + "\n"
                                 : cluster_list(clusters));
    return kSuccess;
  }
  if (!options.validate.empty()) return validate_command(context, options);
  if (!options.check.empty()) {
    const SweepCheck check =
        check_sweep(options.check,
                    options.cluster.empty()
                        ? std::nullopt
                        : std::optional(load_cluster(options.cluster, options.clusters_directory)));
    context.out << (options.json ? check_json(check).dump(1) + "\n" : check_text(check));
    return kSuccess;
  }
  if (options.show_cluster) {
    const Cluster cluster = load_cluster(options.cluster, options.clusters_directory);
    context.out << (options.json ? cluster_entries_json(cluster).dump(1) + "\n"
                                 : cluster_entries(cluster));
    return kSuccess;
  }
  return simulate_runs(context, options);
}

}  // namespace lockstep
