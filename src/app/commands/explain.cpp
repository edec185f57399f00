// explain.cpp: `lockstep explain`: where the lost efficiency went, and what to try first.
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "app/command_line.h"
#include "app/commands/report_files.h"
#include "app/flags.h"
#include "app/program.h"
#include "base/error.h"
#include "base/text.h"
#include "config/json.h"
#include "config/json_text.h"
#include "config/run_id.h"
#include "report/analysis/fill_paths.h"
#include "report/render/budget_text.h"
#include "report/results/launch_rate.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> sources;
  bool json = false, brief = false;
};

CommandSyntax syntax_for(Options& options) {
  return {.command = "explain",
          .summary = "Says where the lost efficiency went and what to try first.",
          .flags = {switch_flag("json", "print JSON", &options.json),
                    switch_flag("brief", "print two lines per configuration", &options.brief)},
          .positional = Positional{
              .name = "DIR|RESULT.json",
              .help = "directories of 'lockstep sweep', or results of 'train --result'; those of "
                      "fewer devices are the base",
              .set = [&](const std::string& text) { options.sources.push_back(text); },
              .many = true,
              .required = true}};
}

bool is_single_result(const std::string& source) {
  return !fs::is_directory(source) && fs::path(source).extension() == ".json";
}

// The same launch: a copy of its file has the time at which it started, too.
bool are_copies(const RunResult& a, const RunResult& b) {
  return a.started_at == b.started_at && a.host.name == b.host.name && a.config == b.config &&
         a.throughput.total_images_per_second == b.throughput.total_images_per_second;
}

// What an interrupted run has measured counts.
void keep_what_was_measured(RunResult& result, const std::string& file, std::ostream& err) {
  if (result.status != RunStatus::Interrupted || !(rate_of(result) > 0)) return;
  const auto steps = static_cast<int64_t>(result.steps.size());
  err << fmt::format("note: {}: interrupted{}\n", file,
                     steps > 0 ? " after " + count_text(steps, "step") : "");
  result.status = RunStatus::Completed;
}

// Several results of one configuration are its launches.
void add_result(RunCollection& collection, const std::string& file, std::ostream& err) {
  StoredRun run;
  run.result = read_result(file);
  // A sweep gives the batch of its runs; `train` may have taken that of the network.
  int& batch = run.result.config.batch_size;
  if (batch == 0) batch = run.result.facts.batch_size;
  run.id = run_id(run.result.config);
  if (!run.result.path) run.result.path = critical_path_of(run.result);
  keep_what_was_measured(run.result, file, err);
  const bool known = std::ranges::any_of(collection.runs, [&](const StoredRun& other) {
    return are_copies(other.result, run.result);
  });
  if (known) {
    err << fmt::format("note: {} is a copy of another launch; it counts once\n", file);
    return;
  }
  for (const StoredRun& other : collection.runs) {
    if (other.id == run.id) ++run.repeat;
  }
  run.result = without_samples(std::move(run.result));
  collection.runs.push_back(std::move(run));
  collection.directories.emplace_back();
}

RunCollection collect(const Options& options, std::ostream& err) {
  std::vector<std::string> directories;
  RunCollection collection;
  for (const std::string& source : options.sources) {
    if (!is_single_result(source)) directories.push_back(source);
  }
  if (!directories.empty()) collection = collect_results(directories, err).collection;
  for (const std::string& source : options.sources) {
    if (is_single_result(source)) add_result(collection, source, err);
  }
  return collection;
}

// Why there is nothing to explain, and what to run instead.
std::string why_none(const ScalingReport& report, std::span<const StoredRun> runs) {
  const auto measured = [](const Configuration& each) { return each.speed && !each.simulated; };
  const auto several = [&](const Configuration& each) {
    return measured(each) && each.devices > 1;
  };
  if (report.configurations.empty()) return "no results";
  if (std::ranges::none_of(report.configurations, measured)) {
    const bool simulated = std::ranges::any_of(report.configurations, &Configuration::simulated);
    if (simulated) return "only predictions; 'lockstep simulate' prints what limits each of them";
    const auto interrupted = std::ranges::count_if(
        runs, [](const StoredRun& run) { return run.result.status == RunStatus::Interrupted; });
    if (interrupted == 0) return "every launch failed";
    return interrupted == std::ssize(runs)
               ? "every launch was interrupted before its first timed step"
               : "every launch failed, or was interrupted before its first timed step";
  }
  if (std::ranges::none_of(report.configurations, several)) {
    return "only runs on one device; add runs of the same network on several";
  }
  return "the runs on several devices report no phases; add runs on fewer devices as their base";
}

}  // namespace

int explain_command(RunContext& context, std::span<const std::string> arguments) {
  Options options;
  const CommandSyntax syntax = syntax_for(options);
  if (answered(context, syntax, arguments)) return kSuccess;
  if (options.sources.empty()) {
    throw UsageError("explain needs a directory of 'lockstep sweep' or a result of 'train'");
  }
  if (options.json && options.brief) {
    throw UsageError("--json and --brief exclude each other; give one of them");
  }
  RunCollection collection = collect(options, context.err);
  fill_paths(collection, collection.runs.size());
  const ScalingReport report = make_scaling(collection.runs);
  const std::vector<LossBudget> budgets = loss_budgets(report, collection.runs);
  if (budgets.empty()) {
    throw UsageError("{}: {}", fmt::join(options.sources, ", "), why_none(report, collection.runs));
  }
  if (options.json) {
    Json list = Json::array();
    for (const LossBudget& each : budgets) {
      list.push_back(budget_json(report, each, collection.runs));
    }
    context.out << json_text(list, 1) << "\n";
  } else {
    context.out << (options.brief ? budget_answers(report, budgets, collection.runs)
                                  : explanation(report, budgets, collection.runs));
  }
  return kSuccess;
}

}  // namespace lockstep
