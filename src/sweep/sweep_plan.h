// sweep_plan.h: what the options for a sweep come to, before anything runs.
#pragma once

#include <string>
#include <vector>

#include "run/run_context.h"
#include "sweep/run_sweep.h"
#include "sweep/sweep_options.h"

namespace lockstep {

struct PlannedSweep {
  SweepPlan plan;
  std::vector<std::string_view> differing;  // what tells its runs apart
  int cores = 1;
  std::vector<std::string> notes;
};

// Whether all runs are on this machine, whose cores are known. Other hosts have other cores, and
// other programs their own way with threads.
bool runs_here(const SweepOptions& options);

// Throws UsageError with the problems of all runs.
PlannedSweep plan_sweep(const SweepOptions& options, const RunContext& context);

std::string rough_time(double seconds);  // "8 s", "5 min", "2 h 10 min"

// Of this sweep alone: the directory may hold others.
std::vector<StoredRun> own_runs(const SweepPlan& plan, const StoreContents& contents);

}  // namespace lockstep
