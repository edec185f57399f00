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

// The built-in clusters, those of a directory, and this machine's.
struct ListedCluster {
  std::string name;
  std::string description = {};
  int nodes = 0, devices = 0;
  std::string problem = {};  // why its file cannot be used; empty: it can
};

// The table; below it, where they are known, the bands and how busy links are at the largest point.
std::string scaling_of(const SimulatedRuns& runs);
std::string why_lines(const SimulatedRuns& runs);  // a sentence for each point
std::string what_if_table(const SimulatedRuns& runs, const std::vector<std::string>& changes);
std::string target_table(const SimulatedRuns& runs);  // needs a target
Json simulated_json(const SimulatedRuns& runs, const std::vector<std::string>& changes);

std::vector<ListedCluster> listed_clusters(const std::string& directory);
std::string cluster_list(const std::vector<ListedCluster>& clusters);
Json cluster_list_json(const std::vector<ListedCluster>& clusters);

// Also defaults, with the origin of each.
std::string cluster_entries(const Cluster& cluster);
Json cluster_entries_json(const Cluster& cluster);

}  // namespace lockstep
