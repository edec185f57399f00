// regressions.h: a sweep against an older one of the same runs, by the rules of compare.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/analysis/compare.h"
#include "report/analysis/scaling.h"

namespace lockstep {

// Stored runs with the directories that their raw files are in.
struct RunCollection {
  std::vector<StoredRun> runs;
  std::vector<std::string> directories;  // one for each run
};

// A configuration that the baseline measured, and of which every launch failed now.
struct BrokenRun {
  std::string label, error;
};

struct BaselineReport {
  std::vector<Comparison> comparisons;  // of all configurations that both have
  std::vector<BrokenRun> broken;
  std::optional<std::string> undecided = {};  // why some could not have come out as slower
  std::vector<std::string> notes;             // what could not be compared
  bool regressed() const;                     // any is slower, or no longer runs
};

// Throws Error when they have no run in common.
BaselineReport against_baseline(const RunCollection& older, const RunCollection& newer,
                                double threshold);
}  // namespace lockstep
