// best.h: the fastest configuration of each network and number of devices, and its comparison with
// the runner-up by the rules of compare.h.
#pragma once

#include <string>
#include <vector>

#include "report/analysis/compare.h"
#include "report/analysis/scaling.h"

namespace lockstep {

struct BestRow {
  std::string model;
  int devices = 1;
  size_t best;                                // index in the report's configurations
  std::optional<size_t> runner_up = {};       // absent: no other configuration
  std::optional<Comparison> difference = {};  // the runner-up against the best
};

std::vector<BestRow> best_of(const ScalingReport& report, std::span<const StoredRun> runs,
                             double threshold = 0.02);

}  // namespace lockstep
