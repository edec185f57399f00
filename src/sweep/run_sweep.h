// run_sweep.h: launches what the store lacks, one run after the other, and stores each at once.
//
// A launch is `lockstep train` as a process of its own, so it starts as cold as any run does and
// takes nothing with it when it dies. A run that failed is a result with its error, and the sweep
// goes on, unless the disk is full: then it throws Error, and nothing of that launch is stored. A
// result that a killed sweep had no time to store is found by its raw file.
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
  int repeats = 5;                       // launches of each run; with a precision, at most
  std::optional<double> precision = {};  // enough once half of the interval is below this part
  uint64_t order_seed = 1;
  bool retry_failed = false;  // failed runs count as missing
  Seconds run_timeout{3600};  // of one launch
  // The line names --num-devices, so a list of hosts has no say in it.
  bool says_devices = false;
  // Whether a launch starts processes of its own, whose logs are kept in the store's directory.
  std::function<bool(const RunConfig&)> starts_processes = [](const RunConfig&) { return false; };
};

inline constexpr int kLeastForPrecision = 3;  // fewer launches happen to agree too often

// One launch as the watcher sees it.
struct Launch {
  const SweepRun& run;
  int repeat = 0;
  int done = 0, all = 0;  // launches; with a precision `all` is the most that there can be
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

// "runs/0123456789abcdef-0.json", within the store's directory.
std::string raw_file_of(const SweepRun& run, int repeat);

// What is still to be launched, in order, as far as it is known before.
std::vector<std::pair<size_t, int>> missing_launches(const SweepPlan& plan,
                                                     const StoreContents& contents);

// `seconds_of`: guesses how long a launch will take.
SweepOutcome run_sweep(const SweepPlan& plan, ResultsStore& store, const std::string& program,
                       const std::function<double(const SweepRun&)>& seconds_of,
                       const SweepWatch& watch);

}  // namespace lockstep
