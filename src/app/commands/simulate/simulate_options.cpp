#include "app/commands/simulate/simulate_options.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "app/flags.h"
#include "base/error.h"
#include "base/text.h"
#include "sim/answers/what_if.h"

namespace lockstep {
namespace {

double positive(const std::string& option, const std::string& text) {
  const auto number = finite_number(text);
  if (!number || *number <= 0) {
    throw UsageError("--{} must be a number above 0, not '{}'", option, text);
  }
  return *number;
}

Flag rate_flag(const std::string& name, const std::string& value_name, const std::string& help,
               std::optional<double>& value) {
  return {.name = name,
          .value_name = value_name,
          .help = help,
          .set = [&value, name](const std::string& text) { value = positive(name, text); }};
}

Flag one_of_flag(const std::string& name, const std::vector<std::string>& names,
                 const std::string& help, std::string& value) {
  return {.name = name,
          .value_name = fmt::format("{}", fmt::join(names, "|")),
          .help = help,
          .set =
              [&value, name, names](const std::string& text) {
                if (std::ranges::find(names, text) == names.end()) {
                  throw UsageError("--{} must be one of {}, not '{}'", name, fmt::join(names, ", "),
                                   text);
                }
                value = text;
              },
          .default_text = value};
}

Flag devices_flag(std::vector<int>& devices) {
  return {.name = "devices",
          .value_name = "N,...",
          .help = "numbers of devices [1, 2, 4, ... to the whole cluster]",
          .set = [&devices](const std::string& text) {
            devices.clear();
            for (const std::string& each : split(text, ',')) {
              devices.push_back(
                  static_cast<int>(whole_in("devices", each, {.least = 1, .most = 100'000'000})));
            }
          }};
}

std::string what_if_help() {
  std::vector<std::string> examples;
  for (const ChangeKind& kind : change_kinds()) {
    examples.push_back(kind.value.empty() ? std::string(kind.name)
                                          : fmt::format("{}={}", kind.name, kind.value));
  }
  return fmt::format("the same run with a change, once for each: {}", fmt::join(examples, ", "));
}

void add_run_flags(SimulateOptions& options, std::vector<Flag>& flags) {
  Flag model =
      text_flag({"model", "NAME|FILE",
                 "network: a name that 'lockstep models' lists, or a TOML file (docs/networks.md)",
                 &options.model});
  model.letter = 'm';
  flags.push_back(std::move(model));
  flags.push_back(number_flag({.name = "batch-size",
                               .help = "images per device per step [that of the known rate]",
                               .value = &options.batch_size,
                               .range = {.least = 1},
                               .letter = 'b'}));
  flags.push_back(text_flag(
      {"variable-update", "NAME", "update strategy, as for train", &options.variable_update}));
  flags.push_back(devices_flag(options.devices));
  flags.push_back(number_flag({.name = "devices-per-node",
                               .help = "devices of a node that are used [all]",
                               .value = &options.devices_per_node,
                               .range = {.least = 1}}));
  flags.push_back(number_flag({.name = "num-ps",
                               .help = "parameter servers [the cluster's, else one per node]",
                               .value = &options.num_ps,
                               .range = {.least = 1}}));
  flags.push_back(switch_flag("sharded", "spread large variables over all parameter servers",
                              &options.sharded));
  flags.push_back(text_flag({"profile", "RESULT.json",
                             "one-device run of 'train --result'; with --profile there, its "
                             "layer times",
                             &options.profile}));
  flags.push_back(rate_flag("images-per-second", "X", "of one device [the cluster file's]",
                            options.images_per_second));
  flags.push_back(rate_flag("bucket-mb", "MB", "size of gradient buckets", options.bucket_mb));
  flags.push_back(switch_flag("overlap", "communicate during backward", &options.overlap));
  flags.push_back(switch_flag("fp16-gradients", "send gradients as fp16", &options.fp16));
  flags.push_back(
      switch_flag("real-data", "decode images on the nodes' cores", &options.real_data));
}

// What may stand beside an option that asks for something else than a prediction.
struct Task {
  std::string_view name;
  std::vector<std::string_view> uses;
};

// True if there is such an option.
bool check_task(const SimulateOptions& options) {
  static const Task kTasks[] = {{"validate", {"clusters", "known", "json"}},
                                {"check", {"cluster", "clusters", "json"}},
                                {"list-clusters", {"clusters", "json"}},
                                {"show-cluster", {"cluster", "clusters", "json"}}};
  const auto given = [&](std::string_view name) {
    return std::ranges::count(options.given, name) > 0;
  };
  for (const Task& task : kTasks) {
    if (!given(task.name)) continue;
    for (const std::string& name : options.given) {
      if (name == task.name || std::ranges::count(task.uses, name) > 0) continue;
      throw UsageError("--{} does not use --{}; leave one of them out", task.name, name);
    }
    return task.name != "show-cluster";
  }
  if (given("known")) throw UsageError("--known is for --validate");
  return false;
}

}  // namespace

CommandSyntax simulate_syntax(SimulateOptions& options) {
  std::vector<Flag> flags = {
      text_flag({"cluster", "NAME|FILE.toml", "cluster to simulate; see --list-clusters",
                 &options.cluster}),
      switch_flag("list-clusters", "list the built-in clusters", &options.list_clusters),
      switch_flag("show-cluster", "print every entry of --cluster and every default, with origins",
                  &options.show_cluster)};
  add_run_flags(options, flags);
  flags.push_back(one_of_flag("fidelity", {"schedule", "message"},
                              "closed formulas on the bucket schedule, or messages on SimGrid",
                              options.fidelity));
  flags.push_back(
      text_flag({"transport", "NAME", "rdma, tcp, ... [the cluster's]", &options.transport}));
  flags.push_back(text_flag({"algorithm", "NAME",
                             "ring, tree, hierarchical or halving_doubling "
                             "[the cluster's]",
                             &options.algorithm}));
  flags.push_back({.name = "what-if",
                   .value_name = "CHANGE",
                   .help = what_if_help(),
                   .set = [&](const std::string& text) { options.what_if.push_back(text); },
                   .many = true});
  flags.push_back(
      rate_flag("target", "X", "find the fewest nodes that reach X images/sec", options.target));
  flags.push_back(text_flag(
      {"output", "DIR", "also write results that 'lockstep report' reads", &options.output}));
  flags.push_back(text_flag(
      {"trace-file", "FILE", "write a trace of one step of the largest run", &options.trace_file}));
  flags.push_back(switch_flag("json", "print JSON", &options.json));
  flags.push_back(text_flag({"validate", "FILE.csv",
                             "compare predictions with published measurements; 'own': those of "
                             "data/published.csv",
                             &options.validate}));
  flags.push_back(text_flag({"clusters", "DIR", "directory of cluster files, before built-in ones",
                             &options.clusters_directory}));
  flags.push_back(one_of_flag("known", {"device", "node", "smallest"},
                              "what --validate predicts from: the one-device rate; also one whole "
                              "node; also the smallest run on several nodes",
                              options.known));
  flags.push_back(
      text_flag({"check", "DIR", "predict the larger runs of a sweep from its smaller ones",
                 &options.check}));
  for (Flag& flag : flags) {
    flag.set = [&options, set = flag.set, name = flag.name](const std::string& text) {
      options.given.push_back(name);
      set(text);
    };
  }
  return {
      .command = "simulate",
      .summary = "Predicts images/sec and scaling efficiency on a cluster that you do not have.",
      .flags = std::move(flags),
      .positional =
          Positional{.name = "CHANGE",
                     .help = "further changes after --what-if",
                     .set = [&](const std::string& word) { options.more_changes.push_back(word); },
                     .many = true}};
}

void check_options(const SimulateOptions& options) {
  if (options.what_if.empty() && !options.more_changes.empty()) {
    throw UsageError("unexpected word '{}'; changes follow --what-if", options.more_changes[0]);
  }
  const bool other_task = check_task(options);
  if (const std::string& directory = options.clusters_directory;
      !directory.empty() && !std::filesystem::is_directory(directory)) {
    throw UsageError("--clusters {}: not a directory", directory);
  }
  if (other_task) return;
  if (options.cluster.empty()) {
    throw UsageError("simulate needs --cluster; 'lockstep simulate --list-clusters' lists them");
  }
  if (options.show_cluster) return;
  if (options.model.empty() && options.profile.empty()) throw UsageError("simulate needs --model");
  if (!options.profile.empty() && options.images_per_second) {
    throw UsageError("--profile and --images-per-second exclude each other; give one of them");
  }
}

}  // namespace lockstep
