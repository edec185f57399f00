// tune.cpp: `lockstep tune`: finds the fastest settings of one network by successive halving, over
// the options that the command line does not set.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>

#include "app/commands/sweep_flags.h"
#include "app/program.h"
#include "base/error.h"
#include "base/text.h"
#include "config/json_text.h"
#include "config/run_label.h"
#include "launch/hosts.h"
#include "measure/host.h"
#include "report/render/best_text.h"
#include "report/render/configuration_rows.h"
#include "report/render/scaling_text.h"
#include "sweep/default_axes.h"
#include "sweep/halving.h"
#include "sweep/resolve_config.h"
#include "sweep/sweep_progress.h"

namespace lockstep {
namespace {

constexpr int kSteps = 30, kWarmup = 5;

const SweepSyntax& syntax() {
  static const SweepSyntax kSyntax = {
      .command = "tune",
      .summary = "Finds the fastest settings of one network; options that are not given are tried.",
      .repeats_help = "launches of the candidates in the last round",
      .repeats = "9",
      .output = "tune",
      .without = {"models", "batch-preset", "max-devices", "precision", "best", "pivot", "explain",
                  "wide", "predict"}};
  return kSyntax;
}

// How large the runs are.
struct Extent {
  int devices = 1;   // of the whole run
  int per_host = 1;  // of them
  int cores = 0;     // of a host; 0: not known
};
// What is tried of an option that the line does not name. An empty value is the default.
struct OpenAxis {
  const char* option;
  std::vector<std::string> (*values)(const Extent&);
  bool of_one_device = false;  // also applies to a single device
};

std::vector<std::string> threads_to_try(const Extent& extent) {
  if (extent.cores == 0) return {"0"};  // a worker uses the cores it is pinned to
  const int all = std::max(1, extent.cores / extent.per_host);
  std::vector<std::string> values = {fmt::to_string(all)};
  if (all > 1) values.push_back(fmt::to_string(all - 1));  // leaves a core to communication
  return values;
}

std::vector<std::string> servers_to_try(const Extent& extent) {
  std::vector<std::string> values;
  for (int servers = 1; servers <= std::min(extent.devices, 4); servers *= 2) {
    values.push_back(fmt::to_string(servers));
  }
  return values;
}

constexpr OpenAxis kOpen[] = {
    {"variable-update",
     [](const Extent&) {
       return std::vector<std::string>{"replicated", "parameter_server", "distributed_replicated"};
     }},
    {"num-ps", servers_to_try},
    {"bucket-mb",
     [](const Extent&) {
       return std::vector<std::string>{"", "1", "4", "32"};
     }},
    {"all-reduce-spec",
     [](const Extent&) {
       return std::vector<std::string>{"", "ring", "halving_doubling"};
     }},
    {"gradient-compression",
     [](const Extent&) {
       return std::vector<std::string>{"none", "fp16"};
     }},
    {"threads", threads_to_try, /*of_one_device=*/true},
};

int most_in(const SweepOptions& options, const char* option) {
  int most = 1;
  const auto list = options.lists.find(option);
  if (list == options.lists.end()) return most;
  for (const std::string& value : list->second) {
    most = std::max(most, static_cast<int>(whole_number(value).value_or(1)));
  }
  return most;
}

// All listed hosts are used: a run on fewer hosts is a different run, not a slower candidate.
Extent extent_of(SweepOptions& options, int cores) {
  auto& lists = options.lists;
  const bool here = runs_here(options);
  if (here) lists.try_emplace("num-devices", std::vector{fmt::to_string(cores)});
  int slots = 0;
  if (lists.contains("hosts")) {
    const std::vector<Host> hosts = read_hosts(lists["hosts"].front());
    for (const Host& host : hosts) slots += host.slots.value_or(1);
    lists.try_emplace("nodes", std::vector{fmt::to_string(hosts.size())});
  }
  if (lists.contains("worker-hosts")) {
    slots = static_cast<int>(split(lists["worker-hosts"].front(), ',').size());
  }
  const int per_host = most_in(options, "num-devices");
  const int said = per_host * most_in(options, "nodes");
  const bool by_slots = !lists.contains("num-devices");
  return {.devices = by_slots ? std::max(said, slots) : said,
          .per_host = per_host,
          .cores = here ? cores : 0};
}

void open_axes(SweepOptions& options, int cores) {
  auto& lists = options.lists;
  if (!lists.contains("model") || lists["model"].size() != 1) {
    throw UsageError("tune needs one network: --model NAME");
  }
  lists.try_emplace("num-batches", std::vector{fmt::to_string(kSteps)});
  lists.try_emplace("num-warmup-batches", std::vector{fmt::to_string(kWarmup)});
  const Extent extent = extent_of(options, cores);
  for (const OpenAxis& axis : kOpen) {
    if (extent.devices == 1 && !axis.of_one_device) continue;
    lists.try_emplace(axis.option, axis.values(extent));
  }
}

int list(const PlannedSweep& sweep, const HalvingRules& rules, Context& context) {
  double seconds = 0, part = 1;
  for (const SweepRun& run : sweep.plan.runs) {
    context.out << run.id << "  " << run_label(run.config, sweep.differing) << "\n";
    seconds += guess_seconds(run.config, sweep.cores);
  }
  double launches = 0;
  for (int each = 1, before = 0; before < rules.most_launches;
       each = std::min(each * rules.factor, rules.most_launches)) {
    launches += part * (each - before);
    before = each;
    part = std::max(part / rules.factor,
                    static_cast<double>(rules.least) / static_cast<double>(sweep.plan.runs.size()));
  }
  const double runs = static_cast<double>(sweep.plan.runs.size());
  context.out << fmt::format("{} candidates, about {:.0f} launches in {} (rough estimate)\n",
                             sweep.plan.runs.size(), std::ceil(launches * runs),
                             rough_time(seconds * launches));
  return kSuccess;
}

int tell_winner(const HalvingOutcome& outcome, const ResultsStore& store, bool as_json,
                Context& context) {
  if (outcome.ranking.empty()) throw Error("no candidate could be measured; see the lines above");
  SweepPlan last;
  last.runs = outcome.ranking;
  const std::vector<StoredRun> runs = own_runs(last, store.contents());
  const ScalingReport report = make_scaling(runs);
  const std::string fastest = train_command_line(outcome.ranking.front().config);
  if (as_json) {
    const Json json = {{"fastest", fastest}, {"configurations", configurations_json(report)}};
    context.out << json_text(json, 1) << "\n";
  } else {
    context.out << scaling_table(report, TableOf::Speeds) << "\n"
                << best_table(report, best_of(report, runs)) << "\n"
                << fastest << "\n";
  }
  return kSuccess;
}

}  // namespace

int tune_command(RunContext& context, std::span<const std::string> arguments) {
  SweepOptions options;
  if (sweep_answered(context, options, syntax(), arguments)) return kSuccess;
  const int cores = read_host().usable_threads;
  std::vector<std::string> notes;
  name_gpu(options, {.cores = cores, .gpu = gpu_for_sweep(options, context)}, notes);
  for (const std::string& note : notes) context.err << "note: " << note << "\n";
  open_axes(options, cores);
  HalvingRules rules;
  rules.most_launches = options.repeats.value_or(rules.most_launches);
  const PlannedSweep sweep = plan_sweep(options, context);
  require_programs(sweep.plan, context);
  if (options.dry_run) return list(sweep, rules, context);

  ResultsStore store(options.output);
  for (const std::string& line : store.contents().skipped) context.err << "note: " << line << "\n";
  const InterruptWatch interrupts;
  SweepProgress progress(sweep, options.output, context);
  const auto round = [&](const HalvingRound& now) {
    context.err << fmt::format("{} candidate{}, {} launch{} each\n", now.runs.size(),
                               now.runs.size() == 1 ? "" : "s", now.launches,
                               now.launches == 1 ? "" : "es");
  };
  const HalvingOutcome outcome =
      run_halving(sweep.plan, rules, store, context.program,
                  [&](const SweepRun& run) { return guess_seconds(run.config, sweep.cores); },
                  {.round = round, .launches = progress.watch(interrupts)});
  if (outcome.interrupted) {
    context.err << "lockstep: interrupted; the same command resumes\n";
    return kInterrupted;
  }
  return tell_winner(outcome, store, options.json, context);
}

}  // namespace lockstep
