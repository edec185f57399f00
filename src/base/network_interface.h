// network_interface.h: the network interfaces of this machine.
#pragma once

#include <string>
#include <vector>

namespace lockstep {

struct NetworkInterface {
  std::string name, address;
  bool ipv6 = false;
  bool for_others = false;  // up, and its address means this machine elsewhere too
};
std::vector<NetworkInterface> network_interfaces();  // a row per address, IPv4 first

std::string interface_with(const std::string& address);  // its name; empty: none has it

// The interface's first address, IPv4 before IPv6; throws UsageError listing what there is.
std::string address_of_interface(const std::string& name);
bool is_loopback(const std::string& address);

}  // namespace lockstep
