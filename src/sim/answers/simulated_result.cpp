#include "sim/answers/simulated_result.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "base/atomic_file.h"
#include "base/regular_file.h"
#include "base/version.h"
#include "config/json.h"
#include "config/json_text.h"
#include "config/run_id.h"
#include "sim/step/server_step.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

StepRecord record_of(const Simulated& simulated) {
  const Prediction& prediction = simulated.prediction;
  StepRecord step;
  step.duration = Seconds(prediction.step);
  step.phase(Phase::Input) = Seconds(prediction.input);
  step.phase(Phase::Forward) = Seconds(prediction.forward);
  step.phase(Phase::Backward) = Seconds(prediction.backward);
  step.phase(Phase::Communication) = Seconds(prediction.exposed + prediction.late);
  step.images = simulated.scenario.batch * simulated.scenario.devices;
  return step;
}

Summary summary_of(const Simulated& simulated, const StepRecord& step) {
  Summary summary;
  summary.steps = 1;
  summary.images_per_second = simulated.prediction.images_per_second;
  const double seconds = step.duration.count();
  for (double* each :
       {&summary.median_step, &summary.mean_step, &summary.p5_step, &summary.p95_step,
        &summary.p99_step, &summary.fastest_step, &summary.slowest_step}) {
    *each = seconds;
  }
  if (const auto band = band_of(simulated.cluster, simulated.scenario, simulated.prediction)) {
    summary.p5_step = step.images / band->high;
    summary.p95_step = step.images / band->low;
  }
  for (size_t i = 0; i < summary.mean_phases.size(); ++i) {
    summary.mean_phases[i] = step.phases[i].count();
  }
  return summary;
}

int servers_of(const Simulated& simulated) {
  const Scenario& scenario = simulated.scenario;
  if (scenario.update == UpdateKind::AllReduce || scenario.update == UpdateKind::Independent) {
    return 0;
  }
  const Layout layout = layout_of(simulated.cluster, scenario);
  return layout.ranks == 1 ? 1 : servers_in(simulated.cluster, scenario, layout);
}

// The cluster, and what of the run no option of `train` says: runs that differ there are others.
std::string engine_of(const Cluster& cluster, const Scenario& scenario) {
  std::vector<std::string> words;
  for (const std::string& word : {scenario.transport, scenario.algorithm, scenario.library}) {
    if (!word.empty()) words.push_back(word);
  }
  if (scenario.per_node > 0 && scenario.per_node != cluster.devices_per_node) {
    words.push_back(fmt::format("{} per node", scenario.per_node));
  }
  if (scenario.real_data) words.emplace_back("real data");
  return words.empty() ? cluster.name
                       : fmt::format("{} ({})", cluster.name, fmt::join(words, ", "));
}

RunFacts facts_of(const Simulated& simulated) {
  const Workload& workload = simulated.workload;
  return {.model = workload.model,
          .dataset = workload.dataset,
          .image_size = workload.image_size,
          .batch_size = simulated.scenario.batch,
          .timed_steps = 1,
          .parameters = workload.parameters,
          .gradient_tensors = std::ssize(workload.gradients),
          .forward_macs = workload.forward_macs,
          .devices = simulated.scenario.devices,
          .nodes = simulated.prediction.nodes,
          .servers = servers_of(simulated)};
}

// One rank stands for all: they are predicted to do the same. Input comes first.
RankResult rank_of(const Simulated& simulated, const StepRecord& step) {
  RankResult rank;
  rank.total = step.duration;
  rank.steps = {step};
  rank.steps.front().images = simulated.scenario.batch;
  const double input = simulated.prediction.input;
  for (const PredictedTransfer& each : simulated.prediction.transfers) {
    rank.transfers.push_back(
        {Seconds(input + each.ready), Seconds(input + each.begin), Seconds(input + each.end)});
  }
  return rank;
}

// As they are, also those that this version cannot read, without predictions of the same runs.
std::string lines_to_keep(const fs::path& file, const std::set<std::string>& fresh) {
  std::istringstream text(read_regular_file(file.string(), {}));
  std::string kept;
  for (std::string line; std::getline(text, line);) {
    const Json json = json_in(line);
    const bool replaced = json.is_object() && json.contains("run_id") && json.contains("origin") &&
                          json["origin"].is_string() && json["run_id"].is_string() &&
                          json["origin"].get<std::string>().starts_with("simulated") &&
                          fresh.contains(json["run_id"].get<std::string>());
    if (!replaced) kept += line + "\n";
  }
  return kept;
}

}  // namespace

RunConfig config_of(const Cluster& cluster, const Workload& workload, const Scenario& scenario) {
  RunConfig config;
  config.model = workload.model;
  config.network = workload.network;
  config.batch_size = scenario.batch;
  config.engine = engine_of(cluster, scenario);
  config.num_devices = scenario.devices;
  config.variable_update = scenario.strategy;
  config.bucket_mb = scenario.bucket_mb;
  config.overlap = scenario.overlap;
  if (scenario.sharded) config.ps_placement = "sharded";
  if (scenario.gradient_scale != 1) config.gradient_compression = "fp16";
  if (scenario.servers > 0) config.num_ps = scenario.servers;
  return config;
}

RunResult simulated_result(const Simulated& simulated, const RunConfig& config) {
  const StepRecord step = record_of(simulated);
  const double rate = simulated.prediction.images_per_second;
  RunResult result;
  result.program_version = program_version();
  result.origin = fmt::format("simulated on {} by {}{}", simulated.cluster.name, simulated.fidelity,
                              simulated.warning.empty() ? "" : "; " + simulated.warning);
  result.config = config;
  result.facts = facts_of(simulated);
  result.throughput.total_images_per_second = rate;
  result.throughput.total_seconds = simulated.prediction.step;
  result.throughput.per_device = rate / simulated.scenario.devices;
  result.throughput.per_node = rate / simulated.prediction.nodes;
  result.throughput.gflops = 6e-9 * rate * static_cast<double>(simulated.workload.forward_macs);
  result.summary = summary_of(simulated, step);
  result.steps = {step};
  for (size_t i = 0; i < simulated.prediction.transfers.size(); ++i) {
    const PredictedTransfer& each = simulated.prediction.transfers[i];
    result.transfers.push_back({.name = each.name.empty() ? fmt::format("bucket {}", i) : each.name,
                                .bytes = static_cast<int64_t>(each.bytes)});
  }
  if (!result.transfers.empty()) result.ranks = {rank_of(simulated, step)};
  return result;
}

RankTrace step_trace(const Workload& workload, const Prediction& prediction,
                     const std::string& name) {
  RankTrace trace{.name = name};
  trace.layers.push_back({.name = "forward",
                          .category = "forward",
                          .detail = workload.model,
                          .begin = Seconds(prediction.forward_begin),
                          .duration = Seconds(prediction.forward)});
  const double backward_begin = prediction.forward_begin + prediction.forward;
  double begin = 0;
  for (const Gradient& each : workload.gradients) {
    if (each.done > begin) {
      trace.layers.push_back({.name = each.name + " backward",
                              .category = "backward",
                              .detail = fmt::format("{:.0f} bytes", each.bytes),
                              .begin = Seconds(backward_begin + begin * prediction.backward),
                              .duration = Seconds((each.done - begin) * prediction.backward)});
      begin = each.done;
    }
  }
  for (size_t i = 0; i < prediction.transfers.size(); ++i) {
    const PredictedTransfer& each = prediction.transfers[i];
    trace.transfers.push_back(
        {.name = each.name.empty() ? fmt::format("bucket {}", i) : each.name,
         .category = "communication",
         .detail = fmt::format("{:.0f} bytes, ready at {:.3f} ms", each.bytes, 1000 * each.ready),
         .begin = Seconds(each.begin),
         .duration = Seconds(each.end - each.begin)});
  }
  return trace;
}

void store_simulated(const std::string& directory, std::span<const RunResult> results) {
  const fs::path file = fs::path(directory) / ResultsStore::kFile;
  std::set<std::string> fresh;
  for (const RunResult& result : results) fresh.insert(run_id(result.config));
  std::string lines = fs::exists(file) ? lines_to_keep(file, fresh) : "";
  fs::create_directories(fs::path(directory) / "raw");
  for (const RunResult& result : results) {
    StoredRun run{.id = run_id(result.config)};
    run.raw_file = fmt::format("raw/{}-simulated.json", run.id);
    write_result((fs::path(directory) / run.raw_file).string(), result);
    run.result = without_samples(result);
    lines += stored_line(run);
  }
  write_whole_file(file.string(), lines);
}

}  // namespace lockstep
