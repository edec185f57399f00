// predict.h: the step time of a run on a cluster.
#pragma once

#include "sim/model/fidelity.h"

namespace lockstep {

enum class FidelityKind { Schedule, Message };
enum class Detail { Numbers, Transfers };  // Transfers: every one with its times

// Throws UsageError when the cluster cannot run it, or a fidelity is not part of this build.
Prediction predict(const Cluster& cluster, const Workload& workload, const Scenario& scenario,
                   FidelityKind fidelity = FidelityKind::Schedule, Detail detail = Detail::Numbers);

// Nodes that servers have for themselves.
int server_nodes(const Cluster& cluster, const Scenario& scenario, const Layout& layout);

// Images per second between which 90 % of steps lie, from the jitter of ranks and nodes that was
// measured; absent if neither was, or one device waits for nobody.
struct Band {
  double low = 0, high = 0;
};
std::optional<Band> band_of(const Cluster& cluster, const Scenario& scenario,
                            const Prediction& prediction);

// The one-device step with which the prediction for `scenario` reaches this rate: for runs of which
// only several devices were measured, or whose rate contains decoding. `scenario.one_device_step`
// is ignored. Throws UsageError if communication alone makes the cluster slower.
double one_device_step_for(const Cluster& cluster, const Workload& workload, Scenario scenario,
                           double images_per_second);

// Gives `scenario` the one-device step behind a measured run. A run that is faster than the
// cluster's cores decode was fed in another way: real_data becomes false.
struct KnownRun {
  Scenario scenario;
  double images_per_second = 0;
};
void start_from_run(const Cluster& cluster, const Workload& workload, const KnownRun& run,
                    Scenario& scenario);

}  // namespace lockstep
