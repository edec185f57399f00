#include "report/render/run_header.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "config/evaluation_times.h"

namespace lockstep {
namespace {

std::string_view mode_of(const RunConfig& run) {
  if (run.eval) return "evaluation";
  if (run.forward_only) return "forward only";
  return evaluates_during_training(run) ? "training + evaluation" : "training";
}

// All devices of the run; of a process that was started by hand, its own.
std::string device_list(const RunConfig& run, const RunFacts& facts) {
  constexpr int kMostNamed = 8;
  const std::string_view kind = run.device == "cpu" ? "cpu" : "gpu";
  if (!run.job_name.empty()) {
    return fmt::format("['/job:{}/replica:0/task:{}/{}:0']", run.job_name, run.task_index, kind);
  }
  std::vector<std::string> names;
  for (int device = 0; device < std::min(facts.devices, kMostNamed); ++device) {
    names.push_back(fmt::format("'/{}:{}'", kind, device));
  }
  if (facts.devices > kMostNamed) names.emplace_back("...");
  return fmt::format("[{}]", fmt::join(names, ", "));
}

std::string all_reduce_text(const RunConfig& run, const RunFacts& facts) {
  if (has_framework(run) && facts.devices > 1) return fmt::format("that of {}", run.framework);
  const bool alone = facts.devices == 1 || facts.communicator.empty();
  if (alone || run.output_format != "lockstep") {
    return run.all_reduce_spec.empty() ? "None" : run.all_reduce_spec;
  }
  return run.all_reduce_spec.empty()
             ? facts.communicator
             : fmt::format("{} over {}", run.all_reduce_spec, facts.communicator);
}

std::string host_text(const RunResult& started) {
  const HostInfo& host = started.host;
  const int cores = started.facts.cores_here > 0 ? started.facts.cores_here : host.usable_threads;
  return fmt::format("{} ({}, {} {})", host.name, host.cpu_model.value_or("unknown processor"),
                     cores, cores == 1 ? "core" : "cores");
}

// Which device, and why: where there are no GPUs nobody asks. Empty: nothing to say.
std::string device_text(const RunResult& started) {
  const std::string &device = started.config.device, &gpus = started.facts.gpus;
  if (device != "cpu") return gpus.empty() ? device : fmt::format("{} ({} found)", device, gpus);
  return gpus.empty() ? "" : fmt::format("cpu ({} found, not used)", gpus);
}

class Lines {
 public:
  void add(std::string_view key, const auto& value) {
    text_ += fmt::format("{:<13}{}\n", key, value);
  }
  std::string end() { return std::move(text_) + "==========\n"; }

 private:
  std::string text_;
};

void add_updates(Lines& lines, const RunConfig& run, const RunFacts& facts) {
  lines.add("Variables:", run.variable_update);
  constexpr std::string_view kReducing[] = {"replicated", "distributed_all_reduce",
                                            "collective_all_reduce"};
  const bool horovod = run.output_format == "lockstep" && run.variable_update == "horovod";
  if (horovod || std::ranges::count(kReducing, run.variable_update) > 0) {
    lines.add("AllReduce:", all_reduce_text(run, facts));
  }
  if (!run.job_name.empty()) lines.add("Sync:", run.cross_replica_sync ? "True" : "False");
  if (run.staged_vars) lines.add("Staged vars:", "True");
}

// What parsers of tf_cnn_benchmarks do not know.
void add_own(Lines& lines, const RunResult& started) {
  const RunFacts& facts = started.facts;
  if (has_framework(started.config)) lines.add("Framework:", started.config.framework);
  if (facts.servers > 0) {
    lines.add("Servers:", facts.communicator.empty()
                              ? fmt::to_string(facts.servers)
                              : fmt::format("{} over {}", facts.servers, facts.communicator));
  }
  if (const std::string device = device_text(started); !device.empty()) {
    lines.add("Device:", device);
  }
  const std::string& dtype = started.config.dtype;
  if (dtype != RunConfig{}.dtype) lines.add("Precision:", dtype);
  lines.add("Host:", host_text(started));
  if (facts.nodes > 1) lines.add("Hosts:", facts.nodes);
  if (facts.threads > 0) {
    lines.add("Threads:",
              fmt::format("{} per device{}", facts.threads, facts.pinned ? ", pinned" : ""));
  }
}

}  // namespace

std::string header_text(const RunResult& started, double epochs) {
  const RunConfig& run = started.config;
  const RunFacts& facts = started.facts;
  Lines lines;
  lines.add("lockstep:", started.program_version);
  lines.add("Model:", facts.model);
  lines.add("Dataset:", facts.dataset + (run.data_dir.empty() ? " (synthetic)" : ""));
  lines.add("Mode:", mode_of(run));
  lines.add("SingleSess:", "False");
  lines.add("Batch size:", fmt::format("{} global", facts.batch_size * facts.devices));
  lines.add("", fmt::format("{} per device", facts.batch_size));
  if (run.batch_group_size > 1) {
    lines.add("", fmt::format("{} batches per preprocessing group", run.batch_group_size));
  }
  lines.add("Num batches:", facts.timed_steps);
  lines.add("Num epochs:", fmt::format("{:.2f}", epochs));
  lines.add("Devices:", device_list(run, facts));
  lines.add("NUMA bind:", facts.pinned ? "True" : "False");
  lines.add("Data format:", run.data_format);
  lines.add("Optimizer:", run.optimizer);
  add_updates(lines, run, facts);
  if (run.output_format == "lockstep") add_own(lines, started);
  return lines.end();
}

}  // namespace lockstep
