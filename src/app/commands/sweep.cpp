// sweep.cpp: `lockstep sweep`: measures all combinations of options, each several times.
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "app/commands/report_files.h"
#include "app/commands/sweep_flags.h"
#include "app/program.h"
#include "base/text.h"
#include "config/json_text.h"
#include "config/run_id.h"
#include "config/run_label.h"
#include "measure/gpu_presence.h"
#include "measure/host.h"
#include "report/render/best_text.h"
#include "report/render/budget_text.h"
#include "report/render/configuration_rows.h"
#include "report/render/pivot_text.h"
#include "sim/answers/simulated_result.h"
#include "sim/calibrate/check_sweep.h"
#include "sweep/default_axes.h"
#include "sweep/plan_text.h"
#include "sweep/resolve_config.h"
#include "sweep/sweep_progress.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostAnswers = 8;  // 'lockstep explain' has all

StoreContents contents_of(const std::string& directory) {
  const bool there = fs::exists(fs::path(directory) / ResultsStore::kFile);
  return there ? read_store(directory) : StoreContents{};
}

int dry_run(const PlannedSweep& sweep, const StoreContents& contents, Context& context) {
  const auto missing = missing_launches(sweep.plan, contents);
  for (size_t i = 0; i < missing.size(); ++i) {
    const SweepRun& run = sweep.plan.runs[missing[i].first];
    context.out << fmt::format("{:>5}  {}  launch {}  {}\n", i + 1, run.id, missing[i].second + 1,
                               run_label(run.config, sweep.differing));
  }
  context.out << plan_text(sweep, remaining_work(sweep, contents));
  return kSuccess;
}

// The configurations that did not reach --precision within --repeats launches.
std::string note_on_precision(const ScalingReport& report, double wanted) {
  constexpr size_t kMostNamed = 6;
  std::vector<std::string> names;
  for (const Configuration& each : report.configurations) {
    if (!each.speed || each.simulated) continue;
    const std::optional<double> known = each.speed->precision();
    if (known && *known <= wanted) continue;
    names.push_back(fmt::format("{} ({})", label_of(report, each),
                                known ? fmt::format("{:.1f} %", 100 * *known) : "too few"));
  }
  if (names.empty()) return "";
  const size_t all = names.size();
  names.resize(std::min(all, kMostNamed));
  return fmt::format("note: --precision {:.3g}% was not reached: {}{}; raise --repeats\n",
                     100 * wanted, fmt::join(names, ", "),
                     all > kMostNamed ? fmt::format(" and {} more", all - kMostNamed) : "");
}

// Launches that failed, in this sweep or before, and have not succeeded since.
int failures_in(const ScalingReport& report) {
  int failed = 0;
  for (const Configuration& each : report.configurations) {
    if (!each.simulated) failed += each.failed;
  }
  for (const Configuration& each : report.controls) failed += each.failed;
  return failed;
}

// Prints the reason of an exit code other than 0.
int last_words(const SweepOutcome& outcome, const ScalingReport& report, std::ostream& err) {
  if (outcome.interrupted) {
    err << "lockstep: interrupted; the same command resumes\n";
    return kInterrupted;
  }
  const int failed = failures_in(report);
  if (failed == 0) return kSuccess;
  err << fmt::format("lockstep: {} launch{} failed; --retry-failed launches {} again\n", failed,
                     failed == 1 ? "" : "es", failed == 1 ? "it" : "them");
  return kFailure;
}

std::string note_on_others(const SweepPlan& plan, const ResultsStore& store) {
  const auto all = std::ssize(store.contents().runs);
  const auto others = all - std::ssize(own_runs(plan, store.contents()));
  if (others == 0) return "";
  return fmt::format(
      "note: {} also has {} of other sweeps: its files and its page show all of "
      "them, the table below only this sweep; --output names another directory\n",
      store.directory(), count_text(others, "result"));
}

// Says what is about to run, before the first launch.
void announce(const PlannedSweep& sweep, const StoreContents& contents, std::ostream& err) {
  const RemainingWork work = remaining_work(sweep, contents);
  err << resuming_text(sweep, work, contents) << plan_text(sweep, work) << std::flush;
}

// Writes the report of the whole directory, as `lockstep report` does; returns what was written,
// for the last line of the sweep.
std::string write_report(const std::string& directory) {
  std::ostringstream notes;  // the page has them, and the sweep has printed them
  const PageSource source = collect_results({directory}, notes);
  const ScalingReport report = make_scaling(source.collection.runs);
  std::set<std::string> csv_directories;
  std::string names;
  const ReportContents contents = {
      .report = report, .source = source, .rankings = alternatives_in(report, source.collection)};
  for (const std::string& file : write_report_files(contents, directory, notes)) {
    const fs::path path = file;
    if (path.has_parent_path()) csv_directories.insert(path.parent_path().string());
    if (file == "report.html" || file == "comparison_graph.svg")
      names += fmt::format(", {}", (fs::path(directory) / file).string());
  }
  for (const std::string& name : csv_directories)
    names += fmt::format(", {}/", (fs::path(directory) / name).string());
  return names;
}

// Stores predictions for the devices of --predict, and adds them to what was measured.
void add_predictions(const SweepOptions& options, std::vector<StoredRun>& runs, std::ostream& err) {
  const PredictedRuns predicted = predict_beyond(runs, std::nullopt, options.predict);
  for (const std::string& note : predicted.notes) err << "note: --predict: " << note << "\n";
  if (predicted.results.empty()) return;
  store_simulated(options.output, predicted.results);
  for (const RunResult& result : predicted.results) {
    runs.push_back({.id = run_id(result.config), .result = without_samples(result)});
  }
}

// Tables and files of what has been measured, also when the sweep was interrupted.
int conclude(const PlannedSweep& sweep, const SweepOptions& options, const ResultsStore& store,
             const SweepOutcome& outcome, Context& context) {
  std::vector<StoredRun> runs = own_runs(sweep.plan, store.contents());
  std::erase_if(runs, [](const StoredRun& run) { return run.result.simulated(); });
  if (!options.predict.empty()) add_predictions(options, runs, context.err);
  const ScalingReport report = make_scaling(runs);
  if (options.precision && !outcome.interrupted)
    context.err << note_on_precision(report, *options.precision) << std::flush;
  if (options.json) {
    context.out << json_text(configurations_json(report), 1) << "\n" << std::flush;
    if (!runs.empty()) write_report(options.output);
  } else if (!runs.empty()) {
    const TableWidth width = options.wide ? TableWidth::Wide : TableWidth::Terminal;
    const RunCollection own = {runs, std::vector<std::string>(runs.size(), options.output)};
    std::vector<std::string> tables =
        usual_tables(report, alternatives_in(report, own), options.wide);
    tables.push_back(budget_answers(report, loss_budgets(report, runs), runs, kMostAnswers));
    context.out << joined_tables(tables);
    if (!options.pivot.empty()) {
      const auto [rows, columns] = pivot_axes(options.pivot, report);
      context.out << "\n" << pivot_tables(make_pivot(report, rows, columns), report, width);
    }
    if (options.best) context.out << "\n" << best_table(report, best_of(report, runs), width);
    context.out << fmt::format("results: {}/{}{}\n", options.output, ResultsStore::kFile,
                               write_report(options.output))
                << std::flush;
  }
  return last_words(outcome, report, context.err);
}

}  // namespace

int sweep_command(RunContext& context, std::span<const std::string> arguments) {
  SweepOptions options;
  if (sweep_answered(context, options, sweep_syntax(), arguments)) return kSuccess;
  const StoreContents earlier = contents_of(options.output);
  const SweepMachine machine = {.cores = read_host().usable_threads,
                                .available_bytes = available_memory_bytes(),
                                .gpu = gpu_for_sweep(options, context)};
  for (const std::string& note : fill_in_axes(options, context, machine, earlier))
    context.err << "note: " << note << "\n";
  const GpuPresence unused = gpus_present();
  if (unused.count > 0 && !unused.graphics_perhaps && !is_given(options, "device")) {
    context.err
        << "note: this host has GPUs, but the sweep measures the CPU; --device gpu measures "
           "GPUs\n";
  }
  const PlannedSweep sweep = plan_sweep(options, context);
  require_programs(sweep.plan, context);
  for (const std::string& note : options.notes) context.err << "note: " << note << "\n";
  for (const std::string& note : sweep.notes) context.err << "note: " << note << "\n";
  if (options.dry_run) return dry_run(sweep, earlier, context);

  ResultsStore store(options.output);
  for (const std::string& line : store.contents().skipped) context.err << "note: " << line << "\n";
  context.err << note_on_others(sweep.plan, store);
  announce(sweep, store.contents(), context.err);
  const InterruptWatch interrupts;
  SweepOutcome outcome;
  {
    SweepProgress progress(sweep, options.output, context);
    outcome = run_sweep(
        sweep.plan, store, context.program,
        [&](const SweepRun& run) { return guess_seconds(run.config, sweep.cores); },
        progress.watch(interrupts));
  }
  return conclude(sweep, options, store, outcome, context);
}

}  // namespace lockstep
