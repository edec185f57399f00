// gather_run.h: gathers the measurements of all workers on rank 0, on its clock.
#pragma once

#include <string_view>
#include <vector>

#include "data/pipeline/input_source.h"
#include "report/results/chrome_trace.h"
#include "report/results/run_result.h"
#include "run/clock_offsets.h"
#include "run/group.h"

namespace lockstep {

// The measurements of one worker after its run.
struct WorkerReport {
  RankResult rank;
  TimePoint start;  // that its records count from
  RankTrace trace;  // on its own clock
  InputCost input;
  Skipped skipped;
  bool reads_energy = false;  // for all workers of its host
  std::optional<double> joules = {};
  PhaseJoules phase_joules = {};
};

struct GatheredRun {
  std::vector<RankResult> ranks;
  std::vector<RankTrace> traces;
  InputCost input;                   // of all; threads: of one
  Skipped skipped;                   // by any
  std::optional<double> joules = 0;  // of all hosts; absent: of one it is not known
  PhaseJoules phase_joules;          // the same
};

// What a rank sent. Throws Error.
WorkerReport worker_report_in(std::string_view text, int rank);

// Collective. `before`: measured before the first step. Empty but on rank 0.
GatheredRun gather_run(Group& group, const ClockOffsets& before, WorkerReport mine);

}  // namespace lockstep
