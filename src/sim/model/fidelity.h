// fidelity.h: how long transfers take. Two answers to one question: closed formulas
// (schedule_fidelity), and messages on a simulated network (message_fidelity.h).
#pragma once

#include <memory>
#include <span>

#include "sim/model/collective_cost.h"

namespace lockstep {

// What one step sends to and fetches from servers.
struct ServerSlice {
  int server = 0;
  double bytes = 0;
  double ready = 0;  // seconds since the start of the step
};
struct ServerTraffic {
  std::span<const ServerSlice> slices;
  int servers = 1;
  int workers = 1, workers_per_node = 1;
};

class Fidelity {
 public:
  virtual ~Fidelity() = default;

  virtual double all_reduce_seconds(double bytes) const = 0;
  // All workers fetch everything at once: until the last has it.
  virtual double pull_seconds(const ServerTraffic& traffic) const = 0;
  // All workers send each slice when it is ready: the time, since the start of the step, when the
  // last has arrived.
  virtual double push_end(const ServerTraffic& traffic) const = 0;
};

class ScheduleFidelity : public Fidelity {
 public:
  ScheduleFidelity(const Cluster& cluster, const Scenario& scenario, const Layout& layout);

  double all_reduce_seconds(double bytes) const override { return cost_.seconds(bytes); }
  double pull_seconds(const ServerTraffic& traffic) const override;
  double push_end(const ServerTraffic& traffic) const override;

  const CollectiveCost& cost() const { return cost_; }

 private:
  // Seconds in which a server, or its link, moves a byte of a slice to or from all workers.
  double seconds_per_byte(const ServerTraffic& traffic) const;
  // The same for the link of the workers' node that carries most.
  double own_seconds_per_byte(const ServerTraffic& traffic) const;

  const Cluster& cluster_;    // borrowed: outlives this
  const Scenario& scenario_;  // borrowed, as above
  const Layout layout_;
  CollectiveCost cost_;
  double network_rate_;  // bytes per second of a node's own link
};

}  // namespace lockstep
