// simulate_text.h: what `lockstep simulate` prints.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/json_fwd.h"
#include "sim/answers/reach_target.h"
#include "sim/step/predict.h"

namespace lockstep {

struct SimulatedPoint {
  Scenario scenario;
  Prediction prediction = {};
};

struct SimulatedRuns {
  const Cluster& cluster;
  const Workload& workload;
  FidelityKind fidelity;
  std::vector<SimulatedPoint> points;
  std::optional<double> target = {};  // images per second
  std::vector<Plan> plans = {};       // that reach it, or come nearest
  std::string warning = {};           // empty: none

  const SimulatedPoint& largest() const;  // with the most devices
};

// The table; below it, where they are known, the bands and how busy links are at the largest point.
std::string scaling_of(const SimulatedRuns& runs);
std::string why_lines(const SimulatedRuns& runs);  // a sentence for each point
std::string what_if_table(const SimulatedRuns& runs, const std::vector<std::string>& changes);
std::string target_table(const SimulatedRuns& runs);  // needs a target
Json simulated_json(const SimulatedRuns& runs, const std::vector<std::string>& changes);

std::string cluster_list(const std::string& directory);
std::string cluster_entries(const Cluster& cluster);  // also defaults, with the origin of each

}  // namespace lockstep
