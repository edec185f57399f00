// network_interface.h: the network interfaces of this machine.
#pragma once

#include <string>

namespace lockstep {

// The interface's first address, IPv4 before IPv6; throws UsageError listing what there is.
std::string address_of_interface(const std::string& name);
bool is_loopback(const std::string& address);

}  // namespace lockstep
