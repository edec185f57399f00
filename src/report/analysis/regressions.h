// regressions.h: compares a sweep with an older one (the baseline) by the rules of compare.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/analysis/compare.h"
#include "report/analysis/gate.h"
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
  GateRules rules = {};
  std::vector<Comparison> comparisons;  // of all configurations in both
  std::vector<BrokenRun> broken;
  std::vector<std::string> missing = {};      // labels of those that are not in these results
  std::optional<std::string> undecided = {};  // which are inconclusive, and what helps
  std::vector<std::string> notes;             // what could not be compared

  std::vector<std::string> slower() const;  // labels of those that are slower than allowed
  bool regressed() const;                   // any configuration is, or fails now
};

// Throws UsageError if they have no run in common.
BaselineReport against_baseline(const RunCollection& older, const RunCollection& newer,
                                const GateRules& rules);

// Launches of stored runs. `with_steps`: from their raw files, to compare a single launch by steps.
CompareSide side_of(const RunCollection& collection, std::span<const size_t> places,
                    const std::string& label, bool with_steps);
}  // namespace lockstep
