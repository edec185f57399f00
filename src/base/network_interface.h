// network_interface.h: the network interfaces of this machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace lockstep {

struct NetworkInterface {
  std::string name, address;
  std::string network = {};  // "10.77.0.0/24"
  bool ipv6 = false;
  bool for_others = false;  // up, and its address means this machine elsewhere too
};
std::vector<NetworkInterface> network_interfaces();  // a row per address, IPv4 first

std::string interface_with(const std::string& address);  // its name; empty: none has it

// As its driver states it; absent: unknown, as of most virtual and wireless interfaces.
std::optional<int> mbit_per_second(const std::string& interface);

// The first address, IPv4 before IPv6, of an interface ("eth0"), or in a network ("10.77.0.0/24"),
// which names the same on all hosts. Throws UsageError listing what there is.
std::string address_of_interface(const std::string& name_or_network);

// The network of this machine that a host is in; empty: none, or the host's name is not known.
std::string network_with_host(const std::string& host);

// False if one of them is not a number, or they are of different kinds.
bool in_network(const std::string& address, const std::string& network);
bool is_network(const std::string& text);  // "10.77.0.0/24"
bool is_loopback(const std::string& address);

}  // namespace lockstep
