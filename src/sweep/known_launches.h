// known_launches.h: which launches of a sweep the store has, and how well it knows their speed.
//
// Launches of a run also serve as its control runs; those that were only control runs are in no
// table, so they do not count as launches of the run.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "report/results/results_store.h"
#include "sweep/axes.h"

namespace lockstep {

class KnownLaunches {
 public:
  // `retry_failed`: launches that failed do not count.
  KnownLaunches(const StoreContents& contents, bool retry_failed);

  void add(const StoredRun& run);  // of this sweep, also if it failed
  bool has(const SweepRun& run, int repeat) const;
  // Of the mean over its launches; always false without a precision.
  bool is_precise(const SweepRun& run, std::optional<double> precision) const;

 private:
  struct Kind {
    std::set<std::pair<std::string, int>> finished;      // id and repeat
    std::map<std::string, std::vector<double>> seconds;  // per image of launches, by id
    bool is_precise(const std::string& id, double precision) const;
  };
  Kind& kind_of(const StoredRun& run) { return run.control ? controls_ : runs_; }
  void note_time(const StoredRun& run);

  Kind runs_, controls_;
};

}  // namespace lockstep
