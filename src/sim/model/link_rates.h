// link_rates.h: what links carry, in bytes per second, as a scenario's transport and library reach
// it.
#pragma once

#include "sim/model/scenario.h"

namespace lockstep {

const Transport& transport_in(const Cluster& cluster, const Scenario& scenario);

// Of an all-reduce: the scenario's or the cluster's. gRPC has none of its own, so clusters that
// name it for their servers reduce with what their devices usually take.
std::string_view library_of(const Cluster& cluster, const Scenario& scenario);
bool own_library(const Cluster& cluster, const Scenario& scenario);  // that of the file

// Out of one node by its own link; `nodes` share the network, and their slowest link counts. The
// default spread and the library's default cap do not lower a rate that the file calls measured.
double node_link_rate(const Cluster& cluster, const Scenario& scenario, int nodes);
double uplink_rate(const Cluster& cluster, const Scenario& scenario);  // of a rack, all flows

// Of one connection, and of all those that a ring opens between two nodes. Infinite without a cap.
double connection_rate(const Cluster& cluster, const Scenario& scenario);
double neighbour_rate(const Cluster& cluster, const Scenario& scenario);

// Inside a node: a ring over so many devices, by the links alone, and by the library as well.
double node_ring_rate(const Cluster& cluster, int devices);
double inside_rate(const Cluster& cluster, const Scenario& scenario, int devices);

// The nodes in the order of the ring: 0, 1, 2, ... or shuffled, always alike.
std::vector<int> ring_order(const Cluster& cluster, int nodes);
// The most flows of the ring on one rack's uplink, either way; 1 without racks.
int flows_on_uplink(const Cluster& cluster, int nodes);

}  // namespace lockstep
