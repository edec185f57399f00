// details.h: a launch step by step, small enough to be drawn: how long each step took, and which
// rank was late when. Read from raw files, so only for some of many runs.
#pragma once

#include <string>
#include <vector>

#include "report/analysis/regressions.h"
#include "report/analysis/scaling.h"

namespace lockstep {

// Rank by rank (rows) over time (columns of equally many neighbouring steps): how much longer than
// the median rank it was busy with its own work, in milliseconds, on average.
struct LatenessMap {
  int steps_per_column = 1;
  std::vector<std::vector<double>> milliseconds;  // [rank][column]
};

// Quantiles of step times, in milliseconds, as measuring.md defines them.
struct StepRange {
  double least = 0, p5 = 0, median = 0, p95 = 0, most = 0;
};

struct LaunchDetails {
  size_t configuration = 0;  // its place in the report
  int repeat = 0;
  std::vector<double> warmup_ms, steps_ms;  // of each step, up to a limit
  StepRange range = {};                     // of all steady steps, as the summary's
  size_t all_steps = 0;                     // that there were
  std::vector<int> outlier_steps;           // counted from 1; of all
  int dropped_steps = 0;                    // before the steady state
  LatenessMap lateness = {};                // without rows: there was one rank
};

LaunchDetails details_of(const RunResult& result);

struct FoundDetails {
  std::vector<LaunchDetails> launches;
  std::vector<std::string> notes;  // raw files that could not be read, and what was left out
};

// Of each configuration the launch nearest to its mean. `most` bounds how many raw files are read;
// the fastest of every model and number of devices come first.
FoundDetails find_details(const ScalingReport& report, const RunCollection& collection,
                          size_t most = 40);

}  // namespace lockstep
