// details.h: the steps of single launches for charts: step times, and which rank was late when.
// Read from raw files, so only for a limited number of runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/analysis/regressions.h"
#include "report/analysis/scaling.h"
#include "report/analysis/step_timeline.h"

namespace lockstep {

// Rows are ranks, columns are equal numbers of neighbouring steps. A value is the mean busy time of
// the rank minus that of the median rank, in milliseconds.
struct LatenessMap {
  int steps_per_column = 1;
  std::vector<std::vector<double>> milliseconds;  // [rank][column]
};

// Quantiles of step times, in milliseconds, as measuring.md defines them.
struct StepRange {
  double least = 0, p5 = 0, median = 0, p95 = 0, most = 0;
};

struct LaunchDetails {
  size_t configuration = 0;  // index in the report
  int repeat = 0;
  std::vector<double> warmup_ms, steps_ms;    // of each step, up to a limit
  StepRange range = {};                       // of all steady steps, as the summary's
  size_t all_steps = 0;                       // without the limit
  std::vector<int> outlier_steps;             // counted from 1; of all
  int dropped_steps = 0;                      // before the steady state
  LatenessMap lateness = {};                  // no rows: one rank, or it is unknown
  std::optional<StepTimeline> timeline = {};  // absent: only one rank, or too large a page
};

LaunchDetails details_of(const RunResult& result);

struct FoundDetails {
  std::vector<LaunchDetails> launches;
  std::vector<std::string> notes;  // raw files that could not be read, and what was left out
};

// For each configuration the launch closest to its mean. At most `most` raw files are read, those
// of the fastest configuration of each model and number of devices first.
FoundDetails find_details(const ScalingReport& report, const RunCollection& collection,
                          size_t most = 40);

}  // namespace lockstep
