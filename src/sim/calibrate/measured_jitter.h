// measured_jitter.h: how much ranks and hosts of a measured run differ.
#pragma once

#include "report/results/run_result.h"
#include "sim/cluster/cluster.h"

namespace lockstep {

struct MeasuredJitter {
  double rank = 0;  // deviation of a rank's own time from step to step, a part of it
  double node = 0;  // of the hosts' means
};
MeasuredJitter jitter_of(const RunResult& run);

// The jitter of ranks becomes that of this run on one device: steps of the network that is
// predicted, instead of those of another one. Runs of fewer than ten steps say nothing.
void take_rank_jitter(const RunResult& one_device, Cluster& cluster);

}  // namespace lockstep
