// check_sweep.h: predicts the larger runs of a sweep from its smaller ones.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/json_fwd.h"
#include "report/results/results_store.h"
#include "sim/calibrate/fit_run.h"

namespace lockstep {

// Beyond so many times the devices of the largest measured run, a result carries a warning.
inline constexpr int kFarthest = 8;

struct CheckedRun {
  std::string curve;  // "alexnet:8 on native"
  int devices = 0;
  double measured = 0, predicted = 0, persistence = 0;  // images per second
  std::string known;                                    // what it was predicted from
};

struct SweepCheck {
  std::vector<CheckedRun> runs;
  std::vector<std::string> notes;
};

// Without a cluster: one that says little, whose network and jitter come from the smaller runs.
// Throws UsageError if the directory has no curve with two numbers of devices.
SweepCheck check_sweep(const std::string& directory, const std::optional<Cluster>& cluster);
std::string check_text(const SweepCheck& check);
Json check_json(const SweepCheck& check);

// Results for these numbers of devices, of every curve that was measured on fewer, and for its
// smallest number, to which efficiency is relative.
struct PredictedRuns {
  std::vector<RunResult> results;
  std::vector<std::string> notes;  // what they assume; also part of the results
};
PredictedRuns predict_beyond(const std::vector<StoredRun>& runs,
                             const std::optional<Cluster>& cluster,
                             const std::vector<int>& devices);

}  // namespace lockstep
