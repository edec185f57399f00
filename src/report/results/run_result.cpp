#include "report/results/run_result.h"

#include <algorithm>
#include <filesystem>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/regular_file.h"
#include "config/json.h"
#include "config/json_text.h"
#include "report/results/gpu_fields.h"
#include "report/results/json_fields.h"
#include "report/results/path_fields.h"
#include "report/results/possible_result.h"

namespace lockstep {

namespace {

constexpr std::string_view kStatusNames[] = {"completed", "interrupted", "failed", "skipped"};

}  // namespace

std::string_view name_of(RunStatus status) { return kStatusNames[static_cast<size_t>(status)]; }

template <>
struct JsonForm<RunStatus> {
  static Json write(RunStatus status) { return name_of(status); }
  static void read(const Json& json, RunStatus& status) {
    const auto name = std::ranges::find(kStatusNames, json.get<std::string>());
    if (name == std::end(kStatusNames)) throw Error("has the unknown status {}", json.dump());
    status = static_cast<RunStatus>(name - std::begin(kStatusNames));
  }
};

// The verdict as text, and back.
template <>
struct JsonForm<SteadyState> {
  static Json write(const SteadyState& state) {
    return {{"verdict", words_for(state.steadiness)},
            {"steady", state.reached()},
            {"dropped_steps", state.dropped_steps},
            {"drift", JsonForm<double>::write(state.drift)}};
  }
  static void read(const Json& json, SteadyState& state) {
    const std::string verdict = json.at("verdict");
    for (int i = 0; i <= static_cast<int>(Steadiness::TooFewSteps); ++i) {
      const auto steadiness = static_cast<Steadiness>(i);
      if (words_for(steadiness) == verdict) state.steadiness = steadiness;
    }
    state.dropped_steps = json.at("dropped_steps");
    JsonForm<double>::read(json.at("drift"), state.drift);
  }
};

void fields(Like<Interval> auto& interval, auto&& visit) {
  visit("low", interval.low);
  visit("high", interval.high);
}

void fields(Like<StepLosses> auto& losses, auto&& visit) {
  visit("base_loss", losses.base_loss);
  visit("total_loss", losses.total_loss);
  visit("top_1_hits", losses.top_1_hits);
  visit("top_5_hits", losses.top_5_hits);
}

void fields(Like<StepRecord> auto& step, auto&& visit) {
  visit("begin_seconds", step.begin);
  visit("seconds", step.duration);
  for (size_t i = 0; i < kPhaseNames.size(); ++i) {
    visit((std::string(kPhaseNames[i]) + "_seconds").c_str(), step.phases[i]);
  }
  visit("images", step.images);
  fields(step.losses, visit);
}

void fields(Like<Summary> auto& summary, auto&& visit) {
  visit("steps", summary.steps);
  visit("warmup", summary.steady_state);
  visit("images_per_second", summary.images_per_second);
  visit("images_per_second_95", summary.images_per_second_95);
  visit("median_step_seconds", summary.median_step);
  visit("mean_step_seconds", summary.mean_step);
  visit("p5_step_seconds", summary.p5_step);
  visit("p95_step_seconds", summary.p95_step);
  visit("p99_step_seconds", summary.p99_step);
  visit("mad_step_seconds", summary.mad_step);
  visit("cv_step", summary.cv_step);
  visit("fastest_step_seconds", summary.fastest_step);
  visit("slowest_step_seconds", summary.slowest_step);
  visit("bootstrap_block_steps", summary.block_length);
  visit("outlier_steps", summary.outlier_steps);
  for (size_t i = 0; i < kPhaseNames.size(); ++i) {
    visit(("mean_" + std::string(kPhaseNames[i]) + "_seconds").c_str(), summary.mean_phases[i]);
  }
}

void fields(Like<RunFacts> auto& facts, auto&& visit) {
  visit("model", facts.model);
  visit("dataset", facts.dataset);
  visit("image_size", facts.image_size);
  visit("num_classes", facts.num_classes);
  visit("batch_size", facts.batch_size);
  visit("threads", facts.threads);
  visit("warmup_steps", facts.warmup_steps);
  visit("timed_steps", facts.timed_steps);
  visit("parameters", facts.parameters);
  visit("gradient_tensors", facts.gradient_tensors);
  visit("forward_macs", facts.forward_macs);
  visit("devices", facts.devices);
  visit("nodes", facts.nodes);
  visit("servers", facts.servers);
  visit("workers_on_host", facts.workers_here);
  visit("cores_on_host", facts.cores_here);
  visit("pinned", facts.pinned);
  visit("communicator", facts.communicator);
  visit("gpus_on_host", facts.gpus);
}

void fields(Like<RankResult> auto& rank, auto&& visit) {
  visit("rank", rank.rank);
  visit("host", rank.host);
  visit("cores", rank.cores);
  visit("threads", rank.threads);
  visit("total_seconds", rank.total);
  visit("peak_memory_bytes", rank.peak_memory_bytes);
  visit("warmup_steps", rank.warmup_steps);
  visit("steps", rank.steps);
  visit("transfers", rank.transfers);
  constexpr bool kWrites = std::is_const_v<std::remove_reference_t<decltype(rank)>>;
  if (!kWrites || rank.gpu) visit("gpu", rank.gpu);
}

void fields(Like<Straggler> auto& straggler, auto&& visit) {
  visit("rank", straggler.rank);
  visit("slowest_fraction", straggler.slowest_fraction);
  visit("mean_late_seconds", straggler.mean_late);
}

void fields(Like<Evaluation> auto& evaluation, auto&& visit) {
  visit("step", evaluation.step);
  visit("examples", evaluation.examples);
  visit("top_1_accuracy", evaluation.top_1_accuracy);
  visit("top_5_accuracy", evaluation.top_5_accuracy);
  visit("seconds", evaluation.seconds);
}
void fields(Like<Independence> auto& independent, auto&& visit) {
  visit("images_per_second", independent.images_per_second);
  if constexpr (!std::is_const_v<std::remove_reference_t<decltype(independent)>>) {
    visit("efficiency", independent.communication_efficiency);  // its name in older results
  }
  visit("communication_efficiency", independent.communication_efficiency);
  visit("steps", independent.steps);
  for (size_t i = 0; i < kPhaseNames.size(); ++i) {
    visit(("mean_" + std::string(kPhaseNames[i]) + "_seconds").c_str(), independent.mean_phases[i]);
  }
}

void fields(Like<OpResult> auto& op, auto&& visit) {
  visit("layer", op.layer);
  visit("what", op.what);
  visit("kernel", op.kernel);
  visit("output", op.output);
  visit("forward_macs", op.forward_macs);
  visit("forward_seconds", op.forward_seconds);
  visit("backward_seconds", op.backward_seconds);
}

void fields(Like<Throughput> auto& throughput, auto&& visit) {
  visit("total_images_per_second", throughput.total_images_per_second);
  visit("total_seconds", throughput.total_seconds);
  visit("checkpoint_seconds", throughput.checkpoint_seconds);
  visit("images_per_second_per_device", throughput.per_device);
  visit("images_per_second_per_node", throughput.per_node);
  visit("gflops", throughput.gflops);
  visit("fma_peak_gflops", throughput.fma_peak_gflops);
  visit("fraction_of_fma_peak", throughput.fraction_of_peak);
}

void fields(Like<InputResult> auto& input, auto&& visit) {
  visit("threads", input.threads);
  visit("processor_seconds_per_image", input.processor_seconds_per_image);
  visit("skipped_examples", input.skipped);
  visit("damaged_files", input.damaged_files);
  visit("damage", input.damage);
}

void fields(Like<HostInfo> auto& host, auto&& visit) {
  visit("name", host.name);
  visit("kernel", host.kernel);
  visit("cpu_model", host.cpu_model);
  visit("microcode", host.microcode);
  visit("isa", host.isa);
  visit("cpu_mhz", host.cpu_mhz);
  visit("cores", host.cores);
  visit("hardware_threads", host.hardware_threads);
  visit("usable_threads", host.usable_threads);
  visit("numa_nodes", host.numa_nodes);
  visit("l1_bytes", host.l1_bytes);
  visit("l2_bytes", host.l2_bytes);
  visit("l3_bytes", host.l3_bytes);
  visit("memory_bytes", host.memory_bytes);
  visit("available_memory_bytes", host.available_memory_bytes);
  visit("governor", host.governor);
  visit("transparent_huge_pages", host.transparent_huge_pages);
  visit("load", host.load);
  visit("cgroup_cpus", host.cgroup_cpus);
}

void fields(Like<ProgramReading> auto& reading, auto&& visit) {
  visit("worker", reading.worker);
  visit("step", reading.step);
  visit("seconds", reading.time);
  visit("images_per_second", reading.images_per_second);
  visit("loss", reading.loss);
}

void fields(Like<ProgramRun> auto& program, auto&& visit) {
  visit("name", program.name);
  visit("source", program.source);
  visit("commands", program.commands);
  visit("seconds", program.duration);
  visit("step_lines_of", program.step_lines_of);
  visit("step_lines", program.step_lines);
  visit("total_lines", program.total_lines);
  visit("last_lines", program.last_lines);
}

void fields(Like<FrameworkTrial> auto& trial, auto&& visit) {
  visit("mode", trial.mode);
  visit("step_seconds", trial.step_seconds);
}

void fields(Like<FrameworkRun> auto& framework, auto&& visit) {
  visit("name", framework.name);
  visit("version", framework.version);
  visit("mode", framework.mode);
  visit("trials", framework.trials);
  visit("checked_steps", framework.checked_steps);
  visit("loss_difference", framework.loss_difference);
  visit("loss_tolerance", framework.loss_tolerance);
  visit("gradient_difference", framework.gradient_difference);
  visit("gradient_tolerance", framework.gradient_tolerance);
  visit("noisy_rows", framework.noisy_rows);
}

void fields(Like<Provenance> auto& provenance, auto&& visit) {
  visit("revision", provenance.revision);
  visit("command_line", provenance.command_line);
  visit("working_directory", provenance.working_directory);
  visit("started_by", provenance.started_by);
  visit("settings", provenance.settings);
}

void fields(Like<RunResult> auto& result, auto&& visit) {
  visit("schema_version", result.schema_version);
  visit("program_version", result.program_version);
  visit("provenance", result.provenance);
  visit("origin", result.origin);
  visit("status", result.status);
  visit("error", result.error);
  visit("started_at", result.started_at);
  visit("config", result.config);
  visit("facts", result.facts);
  visit("throughput", result.throughput);
  visit("input", result.input);
  visit("summary", result.summary);
  visit("last_loss", result.last_loss);
  visit("peak_memory_bytes", result.peak_memory_bytes);
  visit("setup_seconds", result.setup_seconds);
  visit("host", result.host);
  visit("stolen_cpu_fraction", result.stolen_cpu_fraction);
  visit("libraries", result.libraries);
  visit("conv_choices", result.conv_choices);
  visit("program", result.program);
  visit("framework", result.framework);
  visit("ops", result.ops);
  visit("warmup_steps", result.warmup_steps);
  visit("steps", result.steps);
  visit("ranks", result.ranks);
  visit("transfers", result.transfers);
  visit("stragglers", result.stragglers);
  visit("independent", result.independent);
  visit("energy", result.energy);
  visit("critical_path", result.path);
  visit("evaluations", result.evaluations);
  visit("gpus", result.gpus);
  visit("loss_scale", result.loss_scale);
  visit("notes", result.notes);
}

Json rank_to_json(const RankResult& rank) { return JsonForm<RankResult>::write(rank); }

RankResult rank_from_json(const Json& json) {
  RankResult rank;
  JsonForm<RankResult>::read(json, rank);
  return rank;
}

Json result_to_json(const RunResult& result) { return JsonForm<RunResult>::write(result); }

RunResult result_from_json(const Json& json) {
  const int version = json.value("schema_version", 0);
  if (version != kResultSchemaVersion) {
    throw Error("is a result of schema {}, not {}", version, kResultSchemaVersion);
  }
  refuse_impossible_numbers(json);
  RunResult result;
  JsonForm<RunResult>::read(json, result);
  refuse_impossible_steps(result);
  return result;
}

void write_result(const std::string& path, const RunResult& result) {
  write_whole_file(path, json_text(result_to_json(result), 1) + "\n");
}

RunResult read_result(const std::string& path, const FileRules& rules) {
  if (std::filesystem::is_directory(path)) {
    throw UsageError(
        "the result {} is a directory; 'lockstep report NEW --baseline OLD' compares "
        "directories of sweeps",
        path);
  }
  Json json = printable_json_in(read_regular_file(path, rules));
  if (json.is_discarded()) throw UsageError("the result {} is not JSON", path);
  if (!json.is_object()) throw UsageError("the result {} is not a lockstep result", path);
  try {
    return result_from_json(json);
  } catch (const Error& error) {  // adds which file
    throw UsageError("{} {}", path, error.what());
  } catch (const Json::exception& error) {
    throw UsageError("the result {} is not a lockstep result: {}", path, error.what());
  }
}

}  // namespace lockstep
