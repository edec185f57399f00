#include "sweep/run_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>

#include "base/error.h"
#include "base/run_event.h"
#include "base/utc_text.h"
#include "config/run_id.h"
#include "config/run_options.h"
#include "measure/statistics.h"
#include "process/run_commands.h"
#include "report/results/benchmark_log.h"
#include "sweep/known_launches.h"
#include "sweep/lacking_hosts.h"
#include "sweep/order.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRawDirectory = "runs";
constexpr const char* kLogDirectory = "logs";

// "0123456789abcdef-launch1", of raw file and logs; progress lines say #1. Older stores counted
// from 0 and have "0123456789abcdef-0": no name of theirs is used again.
std::string launch_name(const SweepRun& run, int repeat) {
  return fmt::format("{}-{}{}", run.id, run.control ? "control" : "launch", repeat + 1);
}

// The id of the same run on one device.
std::string one_replica(RunConfig run) {
  const RunConfig defaults;
  run.num_devices = defaults.num_devices;
  run.nodes = defaults.nodes;
  run.num_workers = defaults.num_workers;
  return run_id(run);
}

// "10	images/sec: 204.8 +/- ..."; absent: another line.
std::optional<double> rate_in(const std::string& line) {
  constexpr std::string_view kWord = "images/sec: ";
  const size_t at = line.find(kWord);
  if (at == std::string::npos) return {};
  double rate = 0;
  const char* begin = line.data() + at + kWord.size();
  const auto [end, error] = std::from_chars(begin, line.data() + line.size(), rate);
  return error == std::errc() ? std::optional(rate) : std::nullopt;
}

// `failure`: the reason that the run reported, which is more useful than an exit code.
std::string error_of(const PlanOutcome& ended, const std::optional<RunEvent>& failure) {
  const std::string why = ended.why.empty() ? "no result was written" : ended.why;
  if (ended.end != RunEnd::Failed)
    return why;  // its own message would only say that it was stopped
  return failure ? fmt::format("{} ({})", failure->text, why) : why;
}

class Sweep {
 public:
  Sweep(const SweepPlan& plan, ResultsStore& store, const std::string& program,
        const std::function<double(const SweepRun&)>& seconds_of, const SweepWatch& watch)
      : plan_(plan),
        store_(store),
        program_(program),
        seconds_of_(seconds_of),
        watch_(watch),
        known_(store.contents(), plan.retry_failed) {
    for (const StoredRun& run : store.contents().runs) {
      if (!run.result.simulated()) note_wall(run);
      note_mode(run);
    }
  }

  SweepOutcome run() {
    fs::create_directories(fs::path(store_.directory()) / kRawDirectory);
    for (const SkippedRun& each : plan_.skipped) keep_skipped(each);
    for (int round = 0; round < plan_.repeats && !outcome_.interrupted; ++round) {
      for (const size_t index : order_of_round(plan_.runs.size(), round, plan_.order_seed)) {
        if (outcome_.interrupted) break;
        attend(plan_.runs[index], round);
      }
    }
    return outcome_;
  }

 private:
  void keep_skipped(const SkippedRun& skipped) {
    const bool known = std::ranges::any_of(store_.contents().runs, [&](const StoredRun& run) {
      return run.id == skipped.run.id && run.skipped() && run.result.error == skipped.reason;
    });
    if (known) return;
    StoredRun stored = {.id = skipped.run.id};
    stored.result.config = skipped.run.config;
    stored.result.status = RunStatus::Skipped;
    stored.result.error = skipped.reason;
    stored.result.started_at = utc_text(std::chrono::system_clock::now());
    store_.append(stored);
  }

  void attend(const SweepRun& run, int round) {
    if (known_.has(run, round) || known_.is_precise(run, plan_.precision)) return;
    if (const auto reason = lacking_.reason(run.config)) return keep_skipped({run, *reason});
    if (watch_.interrupted()) return void(outcome_.interrupted = true);
    std::optional<StoredRun> stored = left_behind(run, round);
    if (stored) {
      ++outcome_.adopted;
    } else {
      stored = launch(run, round);
      if (!stored) return void(outcome_.interrupted = true);
      ++outcome_.launched;
    }
    keep(run, *stored);
    if (watch_.finished) watch_.finished(progress(run, round), *stored);
  }

  void keep(const SweepRun& run, const StoredRun& stored) {
    if (lacking_.note(stored)) return keep_skipped({run, *stored.result.error});
    store_.append(stored);
    known_.add(stored);
    note_wall(stored);
    note_mode(stored);
    if (!stored.measured()) ++outcome_.failed;
  }

  // The result of a sweep that was killed before it could store it.
  std::optional<StoredRun> left_behind(const SweepRun& run, int round) const {
    const std::string raw = raw_file_of(run, round);
    const fs::path path = fs::path(store_.directory()) / raw;
    if (!fs::exists(path)) return {};
    StoredRun stored = {.id = run.id,
                        .repeat = round,
                        .raw_file = raw,
                        .wall_seconds = 0,
                        .last_lines = {},
                        .control = run.control,
                        .result = {}};
    try {
      stored.result = read_result(path.string());
    } catch (const Error&) {  // not a valid result: it is measured again
      return {};
    }
    const bool same = run_id(stored.result.config) == run.id;
    return same && stored.measured() && !is_known(stored) ? std::optional(stored) : std::nullopt;
  }

  // A launch that failed after writing its result remains failed.
  bool is_known(const StoredRun& found) const {
    return std::ranges::any_of(store_.contents().runs, [&](const StoredRun& run) {
      return run.id == found.id && run.repeat == found.repeat &&
             run.result.started_at == found.result.started_at;
    });
  }

  Command command_for(const SweepRun& run, int round, const std::string& result) const {
    Command command = {.name = "train",
                       .argv = {program_, "train"},
                       .env = {{kEventsVariable, "1"},
                               {kStartedByVariable, plan_.command_line},
                               {kSettingsVariable, plan_.settings}}};
    for (const std::string& argument : train_arguments(run.config)) {
      command.argv.push_back(argument);
    }
    command.argv.push_back("--result=" + result);
    if (const auto mode = modes_.find(one_replica(run.config)); mode != modes_.end()) {
      command.argv.push_back("--framework-mode=" + mode->second);
    }
    if (plan_.says_devices) {  // also if it is the default
      command.argv.push_back(fmt::format("--num-devices={}", run.config.num_devices));
    }
    if (plan_.starts_processes(run.config)) {
      const fs::path logs = fs::path(store_.directory()) / kLogDirectory;
      command.argv.push_back(
          fmt::format("--log-dir={}/{}", logs.string(), launch_name(run, round)));
    }
    return command;
  }

  // Empty: the user interrupted it.
  std::optional<StoredRun> launch(const SweepRun& run, int round) {
    const std::string raw = raw_file_of(run, round);
    const std::string path = (fs::path(store_.directory()) / raw).string();
    fs::remove(path);
    const Command command = command_for(run, round, path);
    const Launch now = progress(run, round);
    if (watch_.starting) watch_.starting(now);
    std::optional<RunEvent> failure;
    const auto line = [&](const OutputLine& output) {
      const auto event = parse_event_line(output.text);
      const bool failed = event && event->is_failure();
      if (failed && !failure) failure = event;
      const auto rate = rate_in(output.text);
      if (rate && watch_.live) watch_.live(now, *rate);
      return Next::Continue;
    };
    const auto poll = [&] { return watch_.interrupted() ? Next::Stop : Next::Continue; };
    const PlanOutcome ended =
        run_commands(std::span(&command, 1),
                     {.time = time_limit(plan_, seconds_of_(run)), .interrupted_grace = kLongSteps},
                     {.line = line, .poll = poll});
    if (ended.end == RunEnd::Interrupted) {
      fs::remove(path);  // a partial result would look like a complete one
      return {};
    }
    StoredRun stored = stored_run(run, round, ended, path, failure);
    if (failure && failure->kind == RunEvent::Kind::DiskFull) {
      throw DiskFullError("{}; sweep stopped; free disk space and run the same command to resume",
                          failure->text);
    }
    return stored;
  }

  StoredRun stored_run(const SweepRun& run, int round, const PlanOutcome& ended,
                       const std::string& path, const std::optional<RunEvent>& failure) const {
    StoredRun stored = {.id = run.id,
                        .repeat = round,
                        .raw_file = fs::exists(path) ? raw_file_of(run, round) : "",
                        .wall_seconds = ended.duration.count(),
                        .last_lines = {},
                        .control = run.control,
                        .result = {}};
    try {
      if (!stored.raw_file.empty()) stored.result = read_result(path);
    } catch (const Error& error) {  // one bad file does not end the sweep
      stored.raw_file.clear();
      stored.result.error = error.what();
    }
    if (ended.end != RunEnd::Completed || stored.raw_file.empty()) {
      stored.result.config = run.config;
      stored.result.status = RunStatus::Failed;
      for (const std::string& text : ended.commands.front().last_lines) {
        if (!parse_event_line(text)) stored.last_lines.push_back(text);
      }
      if (!stored.result.error) stored.result.error = error_of(ended, failure);
    }
    return stored;
  }

  // Later launches use the mode that the first one found to be the fastest, also on other numbers
  // of devices: modes are tried and checked on each replica by itself. So is the one of NAME:MODE.
  void note_mode(const StoredRun& run) {
    const auto& framework = run.result.framework;
    if (!run.measured() || !framework) return;
    const std::string& mode = framework->mode;  // a script has none
    modes_.try_emplace(one_replica(run.result.config), mode.empty() ? "checked" : mode);
  }

  void note_wall(const StoredRun& run) {
    if (run.wall_seconds > 0) walls_[run.id].push_back(run.wall_seconds);
  }

  double seconds_for(const SweepRun& run) const {
    const auto walls = walls_.find(run.id);
    return walls == walls_.end() ? seconds_of_(run) : median(walls->second);
  }

  Launch progress(const SweepRun& run, int round) const {
    double remaining = 0;
    int missing = 0;
    for (const SweepRun& each : plan_.runs) {
      const bool precise = known_.is_precise(each, plan_.precision);
      for (int repeat = round; repeat < plan_.repeats && !precise; ++repeat) {
        if (known_.has(each, repeat) || lacking_.reason(each.config)) continue;
        remaining += seconds_for(each);
        ++missing;
      }
    }
    const int all = static_cast<int>(plan_.runs.size()) * plan_.repeats;
    return {.run = run,
            .repeat = round,
            .done = all - missing,
            .all = all,
            .remaining = Seconds(remaining)};
  }

  const SweepPlan& plan_;
  ResultsStore& store_;
  const std::string& program_;
  const std::function<double(const SweepRun&)>& seconds_of_;
  const SweepWatch& watch_;
  SweepOutcome outcome_;
  KnownLaunches known_;
  LackingHosts lacking_;
  std::map<std::string, std::vector<double>> walls_;  // seconds of launches, by id
  std::map<std::string, std::string> modes_;          // of frameworks, by one_replica()
};

}  // namespace

std::string raw_file_of(const SweepRun& run, int repeat) {
  return fmt::format("{}/{}.json", kRawDirectory, launch_name(run, repeat));
}

Seconds time_limit(const SweepPlan& plan, double estimated_seconds) {
  return plan.run_timeout.value_or(Seconds(3600) + 10 * Seconds(estimated_seconds));
}

std::vector<std::pair<size_t, int>> missing_launches(const SweepPlan& plan,
                                                     const StoreContents& contents) {
  const KnownLaunches known(contents, plan.retry_failed);
  std::vector<std::pair<size_t, int>> missing;
  for (int round = 0; round < plan.repeats; ++round) {
    for (const size_t index : order_of_round(plan.runs.size(), round, plan.order_seed)) {
      const SweepRun& run = plan.runs[index];
      if (known.has(run, round) || known.is_precise(run, plan.precision)) continue;
      missing.emplace_back(index, round);
    }
  }
  return missing;
}

SweepOutcome run_sweep(const SweepPlan& plan, ResultsStore& store, const std::string& program,
                       const std::function<double(const SweepRun&)>& seconds_of,
                       const SweepWatch& watch) {
  return Sweep(plan, store, program, seconds_of, watch).run();
}

}  // namespace lockstep
