// explain.h: why a prediction is what it is: what limits it, and what would change it most.
#pragma once

#include <string>
#include <vector>

#include "sim/step/predict.h"

namespace lockstep {

enum class Limit {
  Compute,
  Bandwidth,
  NodeBandwidth,
  Software,
  Latency,
  HotServer,
  Barrier,
  LateRanks,
  SharedNode,
  SlowNodes,
  Input,
  Overhead
};
std::string_view name_of(Limit limit);  // "network bandwidth"

struct Improvement {
  std::string what;  // "twice the network's bandwidth"
  double gain = 0;   // of images per second, as a part
};

struct Explanation {
  Limit limit = Limit::Compute;
  double lost = 0;                        // part of the step that one device would not need
  std::vector<Improvement> improvements;  // the largest gain first

  std::string sentence() const;
};

// From the model's own sensitivities: predictions with one thing changed each.
Explanation explain(const Cluster& cluster, const Workload& workload, const Scenario& scenario,
                    const Prediction& prediction);

}  // namespace lockstep
