#include "run/framework/framework_problems.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/run_options.h"
#include "framework/frameworks.h"

namespace lockstep {
namespace {

// What a framework can do with these options is checked below; all others that change a run belong
// to our own engines.
constexpr std::string_view kSupported[] = {
    "model", "batch-size", "num-classes", "aux-head", "seed", "tf-random-seed", "data-name",
    "num-batches", "num-epochs", "num-warmup-batches", "optimizer", "momentum", "weight-decay",
    // learning rate
    "init-learning-rate", "num-epochs-per-decay", "learning-rate-decay-factor",
    "minimum-learning-rate", "num-learning-rate-warmup-epochs", "piecewise-learning-rate-schedule",
    "resnet-base-lr",
    // where and how it runs
    "gpu-indices", "num-devices", "workers-per-node", "threads", "num-intra-threads",
    "variable-update", "interface", "stall-timeout", "job-name", "task-index", "worker-hosts",
    "launcher", "hosts", "nodes", "num-workers", "remote-dir", "ssh-option", "mpirun-option",
    "sbatch-option", "dry-run", "framework", "framework-script", "framework-mode", "python",
    // what it prints and writes
    "display-every", "display-perf-ewma", "loss-type-to-report", "output-format", "result",
    "log-dir", "graph-file", "network", "network-file", "verbose"};

// Adapters know no other devices and types than these; a script of the user may.
bool is_supported(const RunConfig& run, const RunOption& option) {
  const FrameworkChoice choice = find_framework(run);
  constexpr std::string_view kReducing[] = {"replicated", "horovod", "collective_all_reduce",
                                            "independent", "distributed_all_reduce"};
  constexpr std::string_view kOptimizers[] = {"sgd", "momentum"};
  if (option.name == "device") return !choice.script.empty() || run.device.starts_with("cuda");
  if (option.name == "dtype") return run.dtype == "tf32" && choice.framework->has_tf32;
  if (option.name == "variable-update") return std::ranges::count(kReducing, run.variable_update);
  if (option.name == "optimizer") return std::ranges::count(kOptimizers, run.optimizer);
  return std::ranges::count(kSupported, option.name) > 0;
}

// "--optimizer adam", "--forward-only": as the user typed it.
std::string words_of(const RunConfig& run, const RunOption& option) {
  return is_switch(option) ? fmt::format("--{}", option.name)
                           : fmt::format("--{} {}", option.name, text_of(run, option));
}

}  // namespace

std::vector<std::string> framework_problems(const RunConfig& run) {
  if (!has_framework(run)) return {};
  const FrameworkChoice choice = find_framework(run);
  const Framework& framework = *choice.framework;
  std::vector<std::string> problems;
  static const RunConfig kDefaults;
  for (const RunOption& option : run_options()) {
    if (text_of(run, option) == text_of(kDefaults, option) || is_supported(run, option)) continue;
    problems.push_back(fmt::format("{} is not supported with --framework {}", words_of(run, option),
                                   framework.name));
  }
  return problems;
}

}  // namespace lockstep
