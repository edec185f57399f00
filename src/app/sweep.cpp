// sweep.cpp: `lockstep sweep`: measures all combinations of options, each several times.
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <set>

#include "app/interrupt.h"
#include "app/settle_run.h"
#include "app/sweep_options.h"
#include "base/error.h"
#include "base/text.h"
#include "config/run_label.h"
#include "measure/host.h"
#include "report/best.h"
#include "report/progress.h"
#include "report/scaling_text.h"
#include "sweep/run_sweep.h"

namespace lockstep {
namespace {

constexpr int kRepeats = 5, kMostForPrecision = 20;

struct PlannedSweep {
  SweepPlan plan;
  std::vector<std::string_view> differing;  // what tells its runs apart
  int cores = 1;
  std::vector<std::string> notes;
};

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

std::set<std::string> options_with_several_values(std::span<const Axis> axes) {
  std::set<std::string> names;
  for (const Axis& axis : axes) {
    if (axis.points.size() < 2) continue;
    for (const auto& point : axis.points) {
      for (const Setting& setting : point) names.insert(setting.option);
    }
  }
  return names;
}

PlannedSweep plan_sweep(const SweepWishes& wishes, const Surroundings& around) {
  PlannedSweep sweep;
  sweep.cores = read_host().usable_threads;
  RunConfig base;
  base.engine = around.engines.front().name;
  const std::vector<Axis> axes = axes_of(wishes, sweep.cores);
  const std::set<std::string> swept = options_with_several_values(axes);
  const int most = most_devices(axes);
  const bool own_engine = !wishes.lists.contains("program");
  if (own_engine && !wishes.lists.contains("threads") && most > 1) {
    base.threads = std::max(1, sweep.cores / most);
    sweep.notes.push_back(
        fmt::format("a device is {} thread{} in all runs, so that {} of them fit on {} cores; "
                    "--threads says otherwise",
                    base.threads, base.threads == 1 ? "" : "s", most, sweep.cores));
  }
  sweep.plan = {
      .runs =
          expand(base, axes, [&](const RunConfig& run) { return settle_run(run, around, swept); }),
      .repeats = wishes.repeats.value_or(wishes.precision ? kMostForPrecision : kRepeats),
      .precision = wishes.precision,
      .order_seed = static_cast<uint64_t>(wishes.order_seed),
      .retry_failed = wishes.retry_failed,
      .run_timeout = Seconds(wishes.run_timeout)};
  std::vector<RunConfig> configs;
  for (const SweepRun& run : sweep.plan.runs) configs.push_back(run.config);
  sweep.differing = differing_options(configs);
  return sweep;
}

// What was measured before is the best guess.
double seconds_of(const SweepRun& run, const StoreContents& contents, int cores) {
  for (const StoredRun& stored : contents.runs) {
    if (stored.id == run.id && stored.wall_seconds > 0) return stored.wall_seconds;
  }
  return guess_seconds(run.config, cores);
}

StoreContents contents_of(const std::string& directory) {
  const bool there = std::filesystem::exists(std::filesystem::path(directory) / Store::kFile);
  return there ? read_store(directory) : StoreContents{};
}

int dry_run(const PlannedSweep& sweep, const SweepWishes& wishes, Surroundings& around) {
  const StoreContents contents = contents_of(wishes.output);
  const auto missing = missing_launches(sweep.plan, contents);
  double seconds = 0;
  for (size_t i = 0; i < missing.size(); ++i) {
    const SweepRun& run = sweep.plan.runs[missing[i].first];
    seconds += seconds_of(run, contents, sweep.cores);
    around.out << fmt::format("{:>5}  {}  launch {}  {}\n", i + 1, run.id, missing[i].second + 1,
                              run_label(run.config, sweep.differing));
  }
  around.out << fmt::format(
      "{} runs, {}{} launches each; {} of {} launches to go, about {} (h:mm:ss, a rough guess)\n",
      sweep.plan.runs.size(), wishes.precision ? "at most " : "", sweep.plan.repeats,
      missing.size(), sweep.plan.runs.size() * static_cast<size_t>(sweep.plan.repeats),
      duration_text(seconds));
  return kSuccess;
}

// What the user sees while it runs: a line for each launch, and on a terminal how far it is.
class Narrator {
 public:
  Narrator(const PlannedSweep& sweep, Surroundings& around)
      : sweep_(sweep), around_(around), progress_(around.err, style(around)) {}

  SweepWatch watch(const InterruptWatch& interrupts) {
    return {.starting = [this](const Launch& launch) { show(launch, name(launch)); },
            .live =
                [this](const Launch& launch, double rate) {
                  show(launch, fmt::format("{}  {:.1f} images/sec", name(launch), rate));
                },
            .finished = [this](const Launch& launch, const StoredRun& run) { tell(launch, run); },
            .interrupted = [&interrupts] { return interrupts.interrupted(); }};
  }

 private:
  static Progress::Style style(const Surroundings& around) {
    if (!around.err_is_terminal) return Progress::Style::Silent;
    return around.colour ? Progress::Style::Colour : Progress::Style::Plain;
  }
  std::string name(const Launch& launch) const {
    return fmt::format("{} #{}", run_label(launch.run.config, sweep_.differing), launch.repeat + 1);
  }
  void show(const Launch& launch, const std::string& what) {
    progress_.show(what, launch.done, launch.all, launch.remaining);
  }
  void tell(const Launch& launch, const StoredRun& run) {
    progress_.clear();
    const std::string outcome =
        run.measured() ? fmt::format("{:.2f} images/sec", run.result.summary.images_per_second)
                       : "failed: " + run.result.error.value_or("no result");
    around_.err << fmt::format("[{}/{}] {}: {}, {} left\n", launch.done, launch.all, name(launch),
                               outcome, duration_text(launch.remaining.count()));
    for (const std::string& line : run.last_lines) around_.err << "    " << line << "\n";
    around_.err << std::flush;
  }

  const PlannedSweep& sweep_;
  Surroundings& around_;
  Progress progress_;
};

// Of this sweep alone: the directory may hold others.
std::vector<StoredRun> own_runs(const SweepPlan& plan, const StoreContents& contents) {
  std::vector<StoredRun> runs;
  for (const StoredRun& stored : contents.runs) {
    if (std::ranges::count(plan.runs, stored.id, &SweepRun::id)) runs.push_back(stored);
  }
  return runs;
}

}  // namespace

int sweep_command(Surroundings& around, std::span<const std::string> arguments) {
  SweepWishes wishes;
  if (parse_sweep(wishes, arguments) == Parsed::Help) {
    around.out << sweep_help();
    return kSuccess;
  }
  const PlannedSweep sweep = plan_sweep(wishes, around);
  for (const std::string& note : sweep.notes) around.err << "note: " << note << "\n";
  if (wishes.dry_run) return dry_run(sweep, wishes, around);

  Store store(wishes.output);
  for (const std::string& line : store.contents().skipped) around.err << "note: " << line << "\n";
  const InterruptWatch interrupts;
  SweepOutcome outcome;
  {
    Narrator narrator(sweep, around);
    outcome = run_sweep(
        sweep.plan, store, around.program,
        [&](const SweepRun& run) { return guess_seconds(run.config, sweep.cores); },
        narrator.watch(interrupts));
  }
  const std::vector<StoredRun> runs = own_runs(sweep.plan, store.contents());
  const ScalingReport report = make_scaling(runs);
  if (!runs.empty()) around.out << scaling_table(report);
  if (wishes.best && !runs.empty()) around.out << "\n" << best_table(report, best_of(report, runs));
  around.out << fmt::format("results: {}/{}; 'lockstep report {}' draws them\n", wishes.output,
                            Store::kFile, wishes.output);
  if (outcome.interrupted) {
    around.err << "lockstep: interrupted; the same command goes on where this one ended\n";
    return kInterrupted;
  }
  return outcome.failed > 0 ? kFailure : kSuccess;
}

}  // namespace lockstep
