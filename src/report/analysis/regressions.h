// regressions.h: compares a sweep with an older one (the baseline) by the rules of compare.h.
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

// A configuration that the baseline measured and whose launches all fail now.
struct BrokenRun {
  std::string label, error;
};

struct BaselineReport {
  std::vector<Comparison> comparisons;  // of all configurations in both
  std::vector<BrokenRun> broken;
  std::optional<std::string> undecided = {};  // why some could not be significant
  std::vector<std::string> notes;             // what could not be compared
  bool regressed() const;                     // any configuration is slower or fails now
};

// Throws Error if they have no run in common.
BaselineReport against_baseline(const RunCollection& older, const RunCollection& newer,
                                double threshold);
}  // namespace lockstep
