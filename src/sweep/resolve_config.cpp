#include "sweep/resolve_config.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "config/run_options.h"
#include "external/measure_program.h"
#include "framework/frameworks.h"
#include "launch/hosts.h"
#include "nn/cost.h"
#include "nn/description/network_file.h"
#include "run/complete_config.h"
#include "run/framework/framework_problems.h"
#include "run/run_input.h"
#include "run/run_plan.h"

namespace lockstep {
namespace {

constexpr double kStartSeconds = 1;
constexpr double kCoreFlops = 50e9;  // what a core of the last ten years reaches in f32

bool fits(const RunConfig& run, const RunOption& option, std::string_view strategy) {
  return has_use_for(strategy, option, text_of(run, option));
}

// An unknown value stays and is reported later.
bool is_unused_by_strategy(const RunConfig& run, const RunOption& option) {
  return !fits(run, option, run.variable_update) &&
         std::ranges::any_of(strategies(), [&](const StrategyKind& other) {
           return fits(run, option, other.name);
         });
}

// Where other runs of the sweep are programs, their options are no mistake.
void forget_programs(RunConfig& run) {
  run.program_dir.clear();
  run.program_timeout = {};
}

RunConfig without_unused_options(RunConfig run, const std::set<std::string>& swept) {
  if (swept.contains("program")) forget_programs(run);
  find_strategy(run.variable_update);  // throws for an unknown strategy
  for (const std::string& name : swept) {
    const RunOption& option = *find_option(name);
    if (is_unused_by_strategy(run, option))
      set_from_text(run, option, text_of(RunConfig{}, option));
  }
  return run;
}

// It may exist on other hosts.
void check_data_is_here(const RunConfig& run, const Context& context) {
  const bool here = !runs_elsewhere(run, context.environment);
  if (here && !run.data_dir.empty() && !std::filesystem::is_directory(run.data_dir)) {
    throw UsageError("--data-dir {}: no such directory", run.data_dir);
  }
}

}  // namespace

// The default configuration with only this setting.
bool has_use_for(std::string_view strategy, const RunOption& option, const std::string& value) {
  RunConfig alone;
  alone.variable_update = strategy;
  set_from_text(alone, option, value);
  return strategy_problems(alone).empty();
}

RunConfig resolve_config(const RunConfig& requested, const RunContext& context,
                         const std::set<std::string>& swept, std::set<std::string>& notes) {
  RunConfig named = requested;
  name_gpu_of_others(named);
  if (!named.program.empty()) return resolve_program_run(named);
  RunConfig run = without_unused_options(named, swept);
  load_network(run);
  load_script(run);
  const std::vector<std::string> lacking = framework_problems(run);
  if (!lacking.empty()) throw NotSupportedError("{}", fmt::join(lacking, "\n"));
  for (const std::string& note : complete_config(run, {.model = true})) notes.insert(note);
  check_data_is_here(run, context);
  // A run is identified by its hosts, not by the name of the host file.
  if (!run.hosts.empty()) run.hosts = hosts_text(read_hosts(run.hosts));
  const RunPlan plan = plan_run(run, context.engines, run.num_devices * run.nodes.value_or(1));
  run.model = plan.facts.model;
  run.batch_size = plan.facts.batch_size;
  if (!run.num_epochs) run.num_batches = plan.facts.timed_steps;
  return run;
}

double guess_seconds(const RunConfig& run, int cores) {
  if (!run.program.empty()) return 60;
  const Model model = model_of(run);
  const double macs = static_cast<double>(cost_of(build(model)).forward_macs);
  const int threads = run.threads > 0 ? run.threads : std::max(1, cores / run.num_devices);
  const double used = std::min(threads * run.num_devices, cores);
  const double steps = run.num_batches.value_or(kDefaultTimedSteps) + run.num_warmup_batches;
  const double flops = macs * 2 * (run.forward_only ? 1 : 3) * run.batch_size * run.num_devices;
  return kStartSeconds + steps * flops / (used * kCoreFlops);
}

}  // namespace lockstep
