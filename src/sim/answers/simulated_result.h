// simulated_result.h: a prediction as a result, which reports show beside measured ones.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/results/chrome_trace.h"
#include "report/results/results_store.h"
#include "sim/step/predict.h"

namespace lockstep {

struct Simulated {
  const Cluster& cluster;
  const Workload& workload;
  const Scenario& scenario;
  const Prediction& prediction;
  std::string fidelity = "schedule";
  std::string warning = {};  // stands in the result; empty: none
};

// The configuration that a run on the cluster itself would have; `engine` names the cluster,
// and its transport, algorithm, devices per node and input where the scenario chooses them.
RunConfig config_of(const Cluster& cluster, const Workload& workload, const Scenario& scenario);

// Time that ranks wait for the last of them counts as exposed communication, as it does in a run.
// With transfers, it has one rank with their times: pages show its step below the measured one.
RunResult simulated_result(const Simulated& simulated, const RunConfig& config);

// One step of one rank: layers above, transfers below, as `train --trace-file` writes it.
RankTrace step_trace(const Workload& workload, const Prediction& prediction,
                     const std::string& name);

// Replaces simulated results of the same runs; keeps what else the directory holds.
void store_simulated(const std::string& directory, std::span<const RunResult> results);

}  // namespace lockstep
