// all_reduce_schedule.h: which gradients are reduced together, and when: the trainer's own buckets,
// or Horovod's cycles.
#pragma once

#include "sim/model/fidelity.h"

namespace lockstep {

struct ScheduleTimes {
  double forward_end = 0, backward = 0;  // seconds; backward: its duration
  double phase = 0;                      // part of Horovod's cycle before its first tick
};

// In order; the link is used by one at a time.
std::vector<PredictedTransfer> schedule_all_reduces(const Cluster& cluster,
                                                    const Scenario& scenario,
                                                    const Workload& workload,
                                                    const ScheduleTimes& times,
                                                    const Fidelity& fidelity);

// horovod, buckets, tensors or after_backward: the scenario's, the cluster's, or the strategy's.
std::string scheduler_of(const Cluster& cluster, const Scenario& scenario);

// All-reduces run beside backward.
bool overlaps(const Cluster& cluster, const Scenario& scenario);

}  // namespace lockstep
