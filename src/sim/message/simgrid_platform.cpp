#include "sim/message/simgrid_platform.h"

#include <fmt/format.h>

#include <cmath>

namespace lockstep {

namespace sg4 = simgrid::s4u;

SimgridPlatform::SimgridPlatform(const PlatformRates& rates, int rack_nodes)
    : rates_(rates), rack_nodes_(rack_nodes), zone_(sg4::create_full_zone("cluster")) {}

sg4::Host* SimgridPlatform::add_host(const std::string& name) {
  constexpr double kAnySpeed = 1e9;
  return zone_->create_host(name, kAnySpeed);
}

sg4::Link* SimgridPlatform::link(const std::string& name, double rate, double latency) {
  sg4::Link*& known = links_[name];
  if (!known) known = zone_->create_link(name, rate)->set_latency(latency)->seal();
  return known;
}

void SimgridPlatform::connect_inside(sg4::Host* from, sg4::Host* to, const std::string& shared) {
  const std::string name =
      shared.empty() ? fmt::format("{}>{}", from->get_cname(), to->get_cname()) : shared;
  const double rate = rates_.loopback > 0 ? rates_.loopback : rates_.inside;
  zone_->add_route(from->get_netpoint(), to->get_netpoint(), nullptr, nullptr,
                   {sg4::LinkInRoute(link(name, rate, rates_.hop))}, false);
}

void SimgridPlatform::connect_nodes(sg4::Host* from, int from_node, sg4::Host* to, int to_node,
                                    int server) {
  std::vector<sg4::LinkInRoute> route;
  const auto pass = [&](const std::string& name, double rate, double latency = 0) {
    route.emplace_back(link(name, rate, latency));
  };
  pass(fmt::format("out{}", from_node), rates_.node, rates_.hop);
  const int from_rack = rack_nodes_ > 0 ? from_node / rack_nodes_ : 0;
  const int to_rack = rack_nodes_ > 0 ? to_node / rack_nodes_ : 0;
  if (from_rack != to_rack) {
    pass(fmt::format("rack{}up", from_rack), rates_.uplink);
    pass(fmt::format("rack{}down", to_rack), rates_.uplink);
  }
  pass(fmt::format("in{}", to_node), rates_.node);
  if (server >= 0 && rates_.server > 0) {
    const bool pushes = server == to_node;
    pass(fmt::format("server{}{}", server, pushes ? "in" : "out"), rates_.server);
  }
  if (std::isfinite(rates_.stream)) {
    pass(fmt::format("{}>{}", from->get_cname(), to->get_cname()), rates_.stream);
  }
  zone_->add_route(from->get_netpoint(), to->get_netpoint(), nullptr, nullptr, route, false);
}

}  // namespace lockstep
