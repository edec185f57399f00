#include "sweep/sweep_plan.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "config/independent_twin.h"
#include "config/run_id.h"
#include "config/run_label.h"
#include "framework/python.h"
#include "launch/rank_placement.h"
#include "measure/host.h"
#include "sweep/resolve_config.h"

namespace lockstep {
namespace {

constexpr int kRepeats = 5, kMostForPrecision = 20;

int most_devices(std::span<const Axis> axes) {
  int most = 1;
  for (const Axis& axis : axes) {
    for (const auto& point : axis.points) {
      for (const Setting& setting : point) {
        if (find_option(setting.option)->name != "num-devices") continue;
        most = std::max(most, static_cast<int>(whole_number(setting.value).value_or(1)));
      }
    }
  }
  return most;
}

std::vector<std::string> strategies_in(std::span<const Axis> axes) {
  std::vector<std::string> names;
  for (const Axis& axis : axes) {
    for (const auto& point : axis.points) {
      for (const Setting& setting : point) {
        if (setting.option == "variable-update") names.push_back(setting.value);
      }
    }
  }
  return names;
}

// Options with several values, and options that only some of several strategies use: they are reset
// for the others. An option that no strategy uses is a mistake.
std::set<std::string> options_to_leave_out(std::span<const Axis> axes) {
  const std::vector<std::string> strategies = strategies_in(axes);
  const auto of_use = [&](const Setting& setting) {
    return std::ranges::any_of(strategies, [&](const std::string& strategy) {
      return has_use_for(strategy, *find_option(setting.option), setting.value);
    });
  };
  std::set<std::string> names;
  for (const Axis& axis : axes) {
    for (const auto& point : axis.points) {
      for (const Setting& setting : point) {
        const bool several = axis.points.size() > 1;
        if (several || (strategies.size() > 1 && of_use(setting))) names.insert(setting.option);
      }
    }
  }
  return names;
}

bool names_engines(std::span<const Axis> axes) {
  return std::ranges::any_of(axes, [](const Axis& axis) {
    return std::ranges::any_of(axis.points, [](const auto& point) {
      return std::ranges::count(point, "engine", &Setting::option) > 0;
    });
  });
}

// A framework that is missing on this machine would fail in every launch. Throws UsageError when
// nothing is left.
void skip_what_is_not_installed(ExpandedRuns& expanded, const Environment& environment) {
  std::map<std::string, std::string> problems;  // by framework and Python
  const auto problem_of = [&](const RunConfig& run) -> std::string {
    if (!has_framework(run)) return "";
    const Framework& framework = *find_framework(run).framework;
    const std::string python = python_for(framework, run.python, environment);
    const auto [place, fresh] = problems.try_emplace(fmt::format("{} {}", framework.name, python));
    if (fresh) place->second = survey(framework, python).problem;
    return place->second;
  };
  std::vector<SweepRun> runs;
  for (SweepRun& run : expanded.runs) {
    const std::string problem = problem_of(run.config);
    if (problem.empty()) {
      runs.push_back(std::move(run));
    } else {
      expanded.skipped.push_back({std::move(run), problem});
    }
  }
  if (runs.empty()) throw UsageError("{}", expanded.skipped.back().reason);
  expanded.runs = std::move(runs);
}

// --explain: the same workers without communication, in the same rounds. Runs of different
// strategies share one.
void add_controls(std::vector<SweepRun>& runs) {
  std::set<std::string> ids;
  for (const SweepRun& run : runs) ids.insert(run.id);
  std::vector<SweepRun> controls;
  for (const SweepRun& run : runs) {
    if (!has_independent_twin(run.config, devices_of(run.config))) continue;
    const RunConfig twin = independent_twin(run.config);
    SweepRun control = {.id = run_id(twin), .config = twin, .control = true};
    if (ids.insert(control.id).second) controls.push_back(std::move(control));
  }
  std::ranges::move(controls, std::back_inserter(runs));
}

// The reason in one word for each, of runs on several devices.
std::string what_has_no_control(const RunConfig& run) {
  if (devices_of(run) < 2) return "";
  if (!run.program.empty()) return "external programs";
  if (has_framework(run)) return "frameworks";
  if (!run.worker_hosts.empty()) return "--worker-hosts";
  return run.forward_only ? "--forward-only" : "";
}

void note_missing_controls(std::span<const SweepRun> runs, std::vector<std::string>& notes) {
  std::set<std::string> kinds;
  for (const SweepRun& run : runs) kinds.insert(what_has_no_control(run.config));
  kinds.erase("");
  if (kinds.empty()) return;
  notes.push_back(
      fmt::format("--explain adds no run without communication for {}", fmt::join(kinds, ", ")));
}

const std::string& id_of_skipped(const SkippedRun& skipped) { return skipped.run.id; }

}  // namespace

bool runs_here(const SweepOptions& options) {
  return std::ranges::none_of(
      std::array{"program", "hosts", "worker-hosts", "launcher"},
      [&](const char* elsewhere) { return options.lists.contains(elsewhere); });
}

PlannedSweep plan_sweep(const SweepOptions& options, const RunContext& context) {
  PlannedSweep sweep;
  sweep.cores = read_host().usable_threads;
  RunConfig base;
  base.engine = context.engines.front().name;
  const std::vector<Axis> axes = axes_of(options, sweep.cores);
  const std::set<std::string> swept = options_to_leave_out(axes);
  const int most = most_devices(axes);
  if (runs_here(options) && !options.lists.contains("threads") && most > 1) {
    base.threads = std::max(1, sweep.cores / most);
    const std::string why =
        most > sweep.cores ? fmt::format("and {} devices share {} cores", most, sweep.cores)
                           : fmt::format("so that {} devices fit on {} cores", most, sweep.cores);
    sweep.notes.push_back(
        fmt::format("every device has {} thread{} in all runs, {}; change it with --threads",
                    base.threads, base.threads == 1 ? "" : "s", why));
  }
  std::set<std::string> notes;
  const bool engine_given = names_engines(axes);
  const auto resolve = [&](RunConfig run) {
    const bool ours = !has_framework(run) && run.program.empty();
    if (ours && !engine_given) run.engine = engine_for(context.engines, run.device, run.dtype).name;
    return resolve_config(run, context, swept, notes);
  };
  ExpandedRuns expanded = expand(base, axes, resolve);
  sweep.notes.insert(sweep.notes.end(), notes.begin(), notes.end());
  if (runs_here(options)) skip_what_is_not_installed(expanded, context.environment);
  if (options.explain) {
    note_missing_controls(expanded.runs, sweep.notes);
    add_controls(expanded.runs);
  }
  sweep.plan = {
      .runs = std::move(expanded.runs),
      .skipped = std::move(expanded.skipped),
      .repeats = options.repeats.value_or(options.precision ? kMostForPrecision : kRepeats),
      .precision = options.precision,
      .order_seed = static_cast<uint64_t>(options.order_seed),
      .retry_failed = options.retry_failed,
      .run_timeout =
          options.run_timeout ? std::optional<Seconds>(*options.run_timeout) : std::nullopt,
      .says_devices = options.lists.contains("num-devices"),
      .command_line = context.provenance.command_line,
      .settings = context.provenance.settings,
      .starts_processes = [](const RunConfig& run) {
        return !run.program.empty() || wants_launcher(run, /*alone=*/true);
      }};
  std::vector<RunConfig> configs;
  for (const SweepRun& run : sweep.plan.runs) configs.push_back(run.config);
  for (const SkippedRun& each : sweep.plan.skipped) configs.push_back(each.run.config);
  sweep.differing = differing_options(configs);
  return sweep;
}

std::string rough_time(double seconds) {
  const int64_t whole = std::max<int64_t>(std::llround(seconds), 1), minutes = (whole + 30) / 60;
  if (whole < 60) return fmt::format("{} s", whole);
  if (minutes < 60) return fmt::format("{} min", minutes);
  return fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

std::vector<StoredRun> own_runs(const SweepPlan& plan, const StoreContents& contents) {
  std::vector<StoredRun> runs;
  for (const StoredRun& stored : contents.runs) {
    const bool own = std::ranges::count(plan.runs, stored.id, &SweepRun::id) > 0 ||
                     std::ranges::count(plan.skipped, stored.id, id_of_skipped) > 0;
    if (own) runs.push_back(stored);
  }
  return runs;
}

}  // namespace lockstep
