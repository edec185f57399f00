// sweep_plan.h: resolves the options of a sweep into its plan, before anything runs.
#pragma once

#include <string>
#include <vector>

#include "run/run_context.h"
#include "sweep/run_sweep.h"
#include "sweep/sweep_options.h"

namespace lockstep {

struct PlannedSweep {
  SweepPlan plan;
  std::vector<std::string_view> differing;  // options in which its runs differ
  int cores = 1;
  std::vector<std::string> notes;
};

// Whether all runs are on this machine, whose cores are known. Other hosts have other cores, and
// external programs manage threads themselves.
bool runs_here(const SweepOptions& options);

// Throws UsageError with the problems of all runs.
PlannedSweep plan_sweep(const SweepOptions& options, const RunContext& context);

std::string rough_time(double seconds);  // "8 s", "5 min", "2 h 10 min"

// Only runs of this sweep: the directory may have others.
std::vector<StoredRun> own_runs(const SweepPlan& plan, const StoreContents& contents);

}  // namespace lockstep
