// sweep.cpp: `lockstep sweep`: measures all combinations of options, each several times.
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "app/commands/sweep_flags.h"
#include "app/program.h"
#include "base/text.h"
#include "config/run_label.h"
#include "report/render/best_text.h"
#include "report/render/scaling_text.h"
#include "sweep/resolve_config.h"
#include "sweep/sweep_progress.h"

namespace lockstep {
namespace {

// An earlier measurement is the best estimate.
double seconds_of(const SweepRun& run, const StoreContents& contents, int cores) {
  for (const StoredRun& stored : contents.runs) {
    if (stored.id == run.id && stored.wall_seconds > 0) return stored.wall_seconds;
  }
  return guess_seconds(run.config, cores);
}

StoreContents contents_of(const std::string& directory) {
  const bool there =
      std::filesystem::exists(std::filesystem::path(directory) / ResultsStore::kFile);
  return there ? read_store(directory) : StoreContents{};
}

int dry_run(const PlannedSweep& sweep, const SweepOptions& options, Context& context) {
  const StoreContents contents = contents_of(options.output);
  const auto missing = missing_launches(sweep.plan, contents);
  double seconds = 0;
  for (size_t i = 0; i < missing.size(); ++i) {
    const SweepRun& run = sweep.plan.runs[missing[i].first];
    seconds += seconds_of(run, contents, sweep.cores);
    context.out << fmt::format("{:>5}  {}  launch {}  {}\n", i + 1, run.id, missing[i].second + 1,
                               run_label(run.config, sweep.differing));
  }
  context.out << fmt::format(
      "{} run{}, {}{} launch{} each; {} of {} launches remain, about {} (rough estimate)\n",
      sweep.plan.runs.size(), sweep.plan.runs.size() == 1 ? "" : "s",
      options.precision ? "at most " : "", sweep.plan.repeats, sweep.plan.repeats == 1 ? "" : "es",
      missing.size(), sweep.plan.runs.size() * static_cast<size_t>(sweep.plan.repeats),
      rough_time(seconds));
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

}  // namespace

int sweep_command(RunContext& context, std::span<const std::string> arguments) {
  SweepOptions options;
  if (parse_sweep(options, sweep_syntax(), arguments) == Parsed::Help) {
    context.out << sweep_help(sweep_syntax());
    return kSuccess;
  }
  const PlannedSweep sweep = plan_sweep(options, context);
  for (const std::string& note : sweep.notes) context.err << "note: " << note << "\n";
  if (options.dry_run) return dry_run(sweep, options, context);

  ResultsStore store(options.output);
  for (const std::string& line : store.contents().skipped) context.err << "note: " << line << "\n";
  const InterruptWatch interrupts;
  SweepOutcome outcome;
  {
    SweepProgress progress(sweep, options.output, context);
    outcome = run_sweep(
        sweep.plan, store, context.program,
        [&](const SweepRun& run) { return guess_seconds(run.config, sweep.cores); },
        progress.watch(interrupts));
  }
  const std::vector<StoredRun> runs = own_runs(sweep.plan, store.contents());
  const ScalingReport report = make_scaling(runs);
  if (options.precision && !outcome.interrupted) {
    context.err << note_on_precision(report, *options.precision) << std::flush;
  }
  if (!runs.empty()) context.out << scaling_table(report);
  if (options.best && !runs.empty())
    context.out << "\n" << best_table(report, best_of(report, runs));
  context.out << fmt::format("results: {}/{}; 'lockstep report {}' draws charts\n", options.output,
                             ResultsStore::kFile, options.output)
              << std::flush;
  return last_words(outcome, report, context.err);
}

}  // namespace lockstep
