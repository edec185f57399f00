// simgrid_platform.h: the cluster's links as a SimGrid platform. Included by simgrid*.cpp only.
//
// Every node has a link out and a link in; racks have uplinks. A ring hop inside a node is a link
// of its own. All hops of a ring have the mean latency, which the closed formula uses as well.
#pragma once

#include <limits>
#include <map>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "sim/model/collective_cost.h"

namespace lockstep {

struct PlatformRates {
  double node = 0, uplink = 0, inside = 0;                  // bytes per second
  double hop = 0;                                           // seconds
  double server = 0, loopback = 0;                          // 0: no such links
  double stream = std::numeric_limits<double>::infinity();  // most from one host to another
};

class SimgridPlatform {
 public:
  SimgridPlatform(const PlatformRates& rates, int rack_nodes);

  simgrid::s4u::Host* add_host(const std::string& name);
  // `shared`: the name of the link, if it is not for these two alone.
  void connect_inside(simgrid::s4u::Host* from, simgrid::s4u::Host* to,
                      const std::string& shared = {});
  // `server`: of which node traffic passes the server's own limit; -1: none.
  void connect_nodes(simgrid::s4u::Host* from, int from_node, simgrid::s4u::Host* to, int to_node,
                     int server = -1);
  void seal() { zone_->seal(); }

 private:
  simgrid::s4u::Link* link(const std::string& name, double rate, double latency = 0);

  PlatformRates rates_;
  int rack_nodes_;
  simgrid::s4u::NetZone* zone_;  // owned by SimGrid's engine
  std::map<std::string, simgrid::s4u::Link*> links_;
};

}  // namespace lockstep
