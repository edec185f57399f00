#include "sweep/default_axes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "launch/hosts.h"
#include "nn/zoo.h"
#include "sweep/batch_presets.h"
#include "sweep/default_hosts.h"
#include "sweep/fitting_batch.h"
#include "sync/strategies.h"

namespace lockstep {
namespace {

using Values = std::vector<std::string>;

constexpr const char* kNetworks[] = {"inception3", "alexnet"};
constexpr const char* kStrategies[] = {"parameter_server", "replicated"};
// A few tens of timed steps in all: enough for a comparison in reasonable time.
constexpr int kSteps = 10, kWarmup = 2, kRepeats = 3;
// Of the available memory: it differs from moment to moment, and a run checks again.
constexpr double kUsedPart = 0.9;

bool names_networks(const SweepOptions& options) {
  return is_given(options, "models") || is_given(options, "model");
}

// Processes of the largest run on one host: workers, and a parameter server.
int processes_per_host(const SweepOptions& options, int cores) {
  int workers = 1;
  const auto devices = options.lists.find("num-devices");
  if (devices != options.lists.end()) {
    for (const std::string& value : devices->second)
      workers = std::max(workers, static_cast<int>(whole_number(value).value_or(1)));
  } else if (is_given(options, "hosts")) {
    for (const Host& host : read_hosts(options.lists.at("hosts").front()))
      workers = std::max(workers, host.slots.value_or(1));
  } else if (!is_given(options, "worker-hosts") && !is_given(options, "nodes")) {
    workers = options.max_devices > 0 ? options.max_devices : cores;
  }
  const auto strategies = options.lists.find("variable-update");
  const bool served = strategies != options.lists.end() &&
                      std::ranges::any_of(strategies->second, [](const std::string& name) {
                        return find_strategy(name).needs_servers;
                      });
  return workers + (served ? 1 : 0);
}

std::optional<int> earlier_batch(const StoreContents& earlier, std::string_view model) {
  const auto run = std::ranges::find_if(earlier.runs, [&](const StoredRun& each) {
    return each.result.config.model == model && each.result.config.batch_size > 0;
  });
  if (run == earlier.runs.end()) return {};
  return run->result.config.batch_size;
}

void choose_networks(SweepOptions& options, const RunContext& context, const SweepMachine& machine,
                     const StoreContents& earlier, Values& notes) {
  Values& models = options.lists["models"];
  models.assign(std::begin(kNetworks), std::end(kNetworks));
  if (!options.batch_preset.empty() || is_given(options, "batch-size")) return;
  const int processes = processes_per_host(options, machine.cores);
  for (std::string& entry : models) {
    const Model& model = find_model(entry);
    FittingBatch found;
    if (const auto batch = earlier_batch(earlier, model.name)) {
      found = {*batch, fmt::format("{}: batch size {}, as in the results of {}", model.name, *batch,
                                   options.output)};
      if (*batch == model.default_batch_size) found.note.clear();
    } else if (machine.available_bytes) {
      const double share = kUsedPart * static_cast<double>(*machine.available_bytes) / processes;
      found = fitting_batch(options, context, model, static_cast<int64_t>(share));
    }
    if (!found.note.empty()) notes.push_back(found.note);
    if (found.batch > 0) entry = fmt::format("{}:{}", model.name, found.batch);
  }
}

void choose_comparison(SweepOptions& options) {
  auto& lists = options.lists;
  // --worker-hosts alone names no parameter servers.
  const bool may_serve = !is_given(options, "worker-hosts") || is_given(options, "ps-hosts");
  if (may_serve) {
    lists.try_emplace("variable-update", Values(std::begin(kStrategies), std::end(kStrategies)));
  }
  if (!is_given(options, "num-epochs"))
    lists.try_emplace("num-batches", Values{fmt::to_string(kSteps)});
  lists.try_emplace("num-warmup-batches", Values{fmt::to_string(kWarmup)});
  if (!options.repeats && !options.precision) options.repeats = kRepeats;
}

void use_preset(SweepOptions& options, Values& notes) {
  if (is_given(options, "batch-size"))
    throw UsageError("use either --batch-preset or --batch-size, not both");
  const BatchPreset& preset = find_batch_preset(options.batch_preset);
  Values& models = options.lists["models"];
  if (is_given(options, "model")) {  // its points now set two options
    models.insert(models.end(), options.lists["model"].begin(), options.lists["model"].end());
    options.lists.erase("model");
  }
  models = with_preset(models, preset, notes);
}

}  // namespace

void name_gpu(SweepOptions& options, const SweepMachine& machine, Values& notes) {
  const auto devices = options.lists.find("device");
  if (devices == options.lists.end() || places_itself(options)) return;
  for (std::string& value : devices->second) {
    if (lower_case(value) != "gpu") continue;
    value = machine.gpu.empty() ? "cpu" : machine.gpu;
    if (machine.gpu.empty()) {
      notes.push_back("--device gpu: this host has no GPU; training on the CPU");
    }
  }
}

std::vector<std::string> fill_in_axes(SweepOptions& options, const RunContext& context,
                                      const SweepMachine& machine, const StoreContents& earlier) {
  Values notes;
  const bool all_by_default = !names_networks(options);
  if (all_by_default && is_given(options, "program"))
    throw UsageError("--program needs networks: --models NAME:BATCH,...");
  choose_hosts(options, context, all_by_default, notes);
  if (all_by_default) {
    choose_comparison(options);
    choose_networks(options, context, machine, earlier, notes);
  }
  if (!options.batch_preset.empty()) use_preset(options, notes);
  name_gpu(options, machine, notes);
  return notes;
}

}  // namespace lockstep
