#include "run/framework/framework_problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "config/run_options.h"
#include "framework/frameworks.h"

namespace lockstep {
namespace {

struct Unsupported {
  bool given;
  std::string_view option;
};

// "--optimizer adam", "--forward-only": as the user typed it.
std::string words_of(const RunConfig& run, std::string_view name) {
  const RunOption& option = *find_option(name);
  return is_switch(option) ? fmt::format("--{}", name)
                           : fmt::format("--{} {}", name, text_of(run, option));
}

}  // namespace

std::vector<std::string> framework_problems(const RunConfig& run) {
  if (!has_framework(run)) return {};
  const FrameworkChoice choice = find_framework(run);
  const Framework& framework = *choice.framework;
  constexpr std::string_view kReducing[] = {"replicated", "horovod", "collective_all_reduce",
                                            "independent", "distributed_all_reduce"};
  const Unsupported rows[] = {
      {std::ranges::count(kReducing, run.variable_update) == 0, "variable-update"},
      {run.optimizer != "sgd" && run.optimizer != "momentum", "optimizer"},
      {!run.data_dir.empty(), "data-dir"},
      {run.synthetic_location != "device", "synthetic-location"},
      {run.forward_only, "forward-only"},
      {run.eval || !run.train_dir.empty(), "train-dir"},
      {run.gradient_clip.has_value(), "gradient-clip"},
      {run.gradient_compression != "none", "gradient-compression"},
      {!run.all_reduce_spec.empty(), "all-reduce-spec"},
      {run.gradient_op != "mean", "gradient-op"},
      {run.variable_consistency != "strong", "variable-consistency"},
      {run.efficiency, "efficiency"},
      {run.profile, "profile"},
      {!run.trace_file.empty(), "trace-file"},
      {!run.summary_dir.empty(), "summary-dir"},
      {run.precision.has_value(), "precision"},
  };
  std::vector<std::string> problems;
  if (!choice.script.empty() && run.hosts.empty() && !std::filesystem::exists(choice.script)) {
    problems.push_back(fmt::format("--framework {}: no such file", choice.script));
  }
  for (const Unsupported& row : rows) {
    if (row.given) {
      problems.push_back(fmt::format("{} is not supported with --framework {}",
                                     words_of(run, row.option), framework.name));
    }
  }
  return problems;
}

}  // namespace lockstep
