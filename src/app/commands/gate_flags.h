// gate_flags.h: --fail-on and --max-regression of the commands that compare, and their exit codes.
#pragma once

#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/flags.h"
#include "report/analysis/gate.h"

namespace lockstep {

struct GateOptions {
  GateRules rules = {};              // --threshold writes into it too
  std::vector<std::string> fail_on;  // what makes the exit code other than 0
  bool fail_on_given = false;
};

// `kinds`: the words that --fail-on takes here besides `none`, of slower, failed, missing and
// inconclusive. The flags of --threshold, --fail-on and --max-regression.
std::vector<Flag> gate_flags(GateOptions& options, std::vector<std::string> kinds);

// Of the line as a whole. --max-regression alone fails on slower and inconclusive, too. Throws
// UsageError.
void check_gate(GateOptions& options);

// What was found; lists are labels of runs.
struct GateFindings {
  size_t all = 0;    // comparisons
  std::string base;  // "the baseline"
  std::vector<std::string> slower, failed = {}, missing = {};
  std::optional<std::string> inconclusive = {};  // words_on_inconclusive()
};

// A line for each kind on `err`, also for one that does not fail. Exit code 1: slower, failed or
// missing; 2: nothing of that, but inconclusive; 0 otherwise.
int conclude_gate(const GateFindings& findings, const GateOptions& options, std::ostream& err);

}  // namespace lockstep
