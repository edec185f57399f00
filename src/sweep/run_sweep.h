// run_sweep.h: launches the runs that are missing in the store, one at a time, and stores each.
//
// A launch is a separate `lockstep train` process, so it starts cold like any run, and its crash
// does not affect the sweep. A failed run is stored with its error, and the sweep continues. If the
// disk is full it throws Error and stores nothing of that launch. A result that a killed sweep
// could not store is recovered from its raw file.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "config/run_arguments.h"
#include "report/results/results_store.h"
#include "sweep/axes.h"

namespace lockstep {

struct SweepPlan {
  std::vector<SweepRun> runs;
  std::vector<SkippedRun> skipped = {};  // stored with their reasons, never launched
  int repeats = 5;  // launches of each run; the maximum if there is a precision
  std::optional<double> precision = {};  // stop when half the interval is below this fraction
  uint64_t order_seed = 1;
  bool retry_failed = false;                // failed runs count as missing
  std::optional<Seconds> run_timeout = {};  // of one launch; absent: by its estimate
  // --num-devices is given, so the slots of a host list are ignored.
  bool says_devices = false;
  std::string command_line = {};  // of the sweep, for the provenance of its results
  std::string settings = {};      // as in Provenance
  // Whether a launch starts several processes; their logs go to the directory of the store.
  std::function<bool(const RunConfig&)> starts_processes = [](const RunConfig&) { return false; };
};

inline constexpr int kLeastForPrecision = 3;  // fewer launches agree by chance too often

// A launch, for progress messages.
struct Launch {
  const SweepRun& run;
  int repeat = 0;
  int done = 0, all = 0;  // launches; with a precision `all` is the maximum
  Seconds remaining{};    // estimated
};

struct SweepWatch {
  std::function<void(const Launch&)> starting = {};
  std::function<void(const Launch&, double images_per_second)> live = {};
  std::function<void(const Launch&, const StoredRun&)> finished = {};
  std::function<bool()> interrupted = [] { return false; };
};

struct SweepOutcome {
  int launched = 0, adopted = 0, failed = 0;
  bool interrupted = false;
};

// "runs/0123456789abcdef-launch1.json" of the first (repeat 0), within the store's directory.
std::string raw_file_of(const SweepRun& run, int repeat);

// After which a launch is stopped. The estimate is rough, and frameworks also compile, try modes
// and check their losses.
Seconds time_limit(const SweepPlan& plan, double estimated_seconds);

// The launches to do, in order, as far as known in advance.
std::vector<std::pair<size_t, int>> missing_launches(const SweepPlan& plan,
                                                     const StoreContents& contents);

// `seconds_of`: estimated duration of a launch.
SweepOutcome run_sweep(const SweepPlan& plan, ResultsStore& store, const std::string& program,
                       const std::function<double(const SweepRun&)>& seconds_of,
                       const SweepWatch& watch);

}  // namespace lockstep
