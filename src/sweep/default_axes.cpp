#include "sweep/default_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/host_name.h"
#include "base/text.h"
#include "launch/hosts.h"
#include "nn/zoo.h"
#include "sweep/batch_presets.h"
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

bool has(const SweepOptions& options, const char* name) { return options.lists.contains(name); }
bool names_networks(const SweepOptions& options) {
  return has(options, "models") || has(options, "model");
}
bool places_itself(const SweepOptions& options) {
  return has(options, "hosts") || has(options, "worker-hosts") || has(options, "launcher") ||
         has(options, "program");
}

bool is_this_machine(const Host& host) {
  const std::string own = host_name(), &name = host.ssh_target;
  return name == own || name == own.substr(0, own.find('.')) || name == "localhost" ||
         name == "127.0.0.1";
}

void use_cluster_file(SweepOptions& options, const std::string& file, Values& notes) {
  if (!std::filesystem::exists(file)) {
    throw UsageError("${} is {}: no such file; correct it, or use --hosts or --launcher local",
                     kWorkersVariable, file);
  }
  const std::vector<Host> hosts = read_hosts(file);
  if (hosts.size() == 1 && is_this_machine(hosts.front())) {
    if (options.max_devices == 0) options.max_devices = hosts.front().slots.value_or(0);
    notes.push_back(
        fmt::format("the only host of ${} ({}) is this machine", kWorkersVariable, file));
    return;
  }
  options.lists["hosts"] = {file};
  const bool slots =
      std::ranges::any_of(hosts, [](const Host& host) { return host.slots.has_value(); });
  notes.push_back(
      fmt::format("{} of ${} ({}), {}; --launcher local uses this machine only",
                  count_text(std::ssize(hosts), "host"), kWorkersVariable, file,
                  slots ? "with a worker for each slot" : "with one worker on all cores of each"));
}

// The nodes of this allocation. A single one is this machine.
void use_allocation(SweepOptions& options, const Context& context, Values& notes) {
  const auto number = [&](const char* name) {
    return static_cast<int>(whole_number(context.environment(name).value_or("")).value_or(1));
  };
  const int nodes = number("SLURM_JOB_NUM_NODES");
  if (!context.environment("SLURM_JOB_ID") || nodes < 2) return;
  options.lists["launcher"] = {"slurm"};
  options.lists.try_emplace("num-devices", Values{fmt::to_string(number("SLURM_NTASKS_PER_NODE"))});
  const int most = options.max_devices > 0 ? options.max_devices : nodes;
  if (!has(options, "nodes")) {
    options.lists["nodes"] = doubling(most);
    options.max_devices = 0;
  }
  notes.push_back(fmt::format("{} nodes of Slurm job {}", nodes,
                              context.environment("SLURM_JOB_ID").value_or("")));
}

// Processes of the largest run on one host: workers, and a parameter server.
int processes_per_host(const SweepOptions& options, int cores) {
  int workers = 1;
  const auto devices = options.lists.find("num-devices");
  if (devices != options.lists.end()) {
    for (const std::string& value : devices->second)
      workers = std::max(workers, static_cast<int>(whole_number(value).value_or(1)));
  } else if (has(options, "hosts")) {
    for (const Host& host : read_hosts(options.lists.at("hosts").front()))
      workers = std::max(workers, host.slots.value_or(1));
  } else if (!has(options, "worker-hosts") && !has(options, "nodes")) {
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
  if (!options.batch_preset.empty() || has(options, "batch-size")) return;
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
  const bool may_serve = !has(options, "worker-hosts") || has(options, "ps-hosts");
  if (may_serve) {
    lists.try_emplace("variable-update", Values(std::begin(kStrategies), std::end(kStrategies)));
  }
  if (!has(options, "num-epochs")) lists.try_emplace("num-batches", Values{fmt::to_string(kSteps)});
  lists.try_emplace("num-warmup-batches", Values{fmt::to_string(kWarmup)});
  if (!options.repeats && !options.precision) options.repeats = kRepeats;
}

void use_preset(SweepOptions& options, Values& notes) {
  if (has(options, "batch-size"))
    throw UsageError("use either --batch-preset or --batch-size, not both");
  const BatchPreset& preset = find_batch_preset(options.batch_preset);
  Values& models = options.lists["models"];
  if (has(options, "model")) {  // its points now set two options
    models.insert(models.end(), options.lists["model"].begin(), options.lists["model"].end());
    options.lists.erase("model");
  }
  models = with_preset(models, preset, notes);
}

}  // namespace

std::vector<std::string> fill_in_axes(SweepOptions& options, const RunContext& context,
                                      const SweepMachine& machine, const StoreContents& earlier) {
  Values notes;
  const bool all_by_default = !names_networks(options);
  if (all_by_default && has(options, "program"))
    throw UsageError("--program needs networks: --models NAME:BATCH,...");
  if (const auto file = context.environment(kWorkersVariable);
      file && !file->empty() && !places_itself(options)) {
    use_cluster_file(options, *file, notes);
  }
  if (all_by_default) {
    if (!places_itself(options)) use_allocation(options, context, notes);
    choose_comparison(options);
    choose_networks(options, context, machine, earlier, notes);
  }
  if (!options.batch_preset.empty()) use_preset(options, notes);
  return notes;
}

}  // namespace lockstep
