#include "web/reachable_address.h"

#include "base/host_name.h"
#include "base/network_interface.h"

namespace lockstep {

std::string reachable_address(const std::string& listening_on) {
  const bool all_4 = listening_on == "0.0.0.0",
             all_6 = listening_on == "::" || listening_on == "[::]";
  if (!all_4 && !all_6) return listening_on;
  for (const NetworkInterface& each : network_interfaces()) {
    if (each.for_others && each.ipv6 == all_6) return each.address;
  }
  return host_name();
}

}  // namespace lockstep
