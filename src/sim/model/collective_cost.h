// collective_cost.h: what one all-reduce of so many bytes takes on a cluster.
//
// A ring over N ranks sends 2 (N - 1) chunks of 1/N of the data over every link, at the rate of its
// slowest link, and waits for one hop's latency each time. Flows that share a link share its rate.
#pragma once

#include "sim/model/scenario.h"

namespace lockstep {

struct CostLine {
  double seconds_per_byte = 0;  // of the data that is reduced
  double latency = 0;           // seconds, whatever the size

  double seconds(double bytes) const { return latency + bytes * seconds_per_byte; }
};

struct CollectiveCost {
  CostLine line = {};
  std::optional<CostLine> tree = {};  // taken for sizes at which it is faster
  double fixed = 0;                   // per call
  std::vector<SizeClass> sizes = {};  // of measured hops: replace the lines
  double on_wire = 1;                 // bytes sent for each byte that is reduced: 0.5 in fp16
  int ranks = 1;

  double seconds(double bytes) const;
  double bandwidth_seconds(double bytes) const;
  const SizeClass& size_class(double bytes) const;  // of the hops of so many bytes
  bool takes_tree(double bytes) const { return tree && tree->seconds(bytes) < line.seconds(bytes); }
};

struct Layout {
  int ranks = 1, nodes = 1, per_node = 1;
};
// Full nodes first. Throws UsageError for no device, or more than the cluster has.
Layout layout_of(const Cluster& cluster, const Scenario& scenario);

// ring, tree, hierarchical or halving_doubling: the scenario's or the cluster's. auto is a ring,
// and with NCCL since 2.4 also a tree.
std::string algorithm_of(const Cluster& cluster, const Scenario& scenario);

CollectiveCost collective_cost(const Cluster& cluster, const Scenario& scenario,
                               const Layout& layout);

// Mean latency of a hop of the ring, in seconds.
double hop_latency(const Cluster& cluster, const Scenario& scenario, const Layout& layout);

}  // namespace lockstep
