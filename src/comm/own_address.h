// own_address.h: the address at which other hosts of a run reach this one.
#pragma once

#include <string>
#include <vector>

#include "comm/roster.h"

namespace lockstep {

// The addresses of this machine with their networks, for the others: "10.77.0.1 10.77.0.0/24,...".
std::string own_networks();

// That of `interface` (a name or a network); without one, where the path to the other hosts begins,
// or loopback when there are none. Other hosts are known by name, or else by the networks that each
// member told. Throws Error when neither says which address they reach.
std::string own_address(const Roster& roster, const std::string& interface,
                        const std::vector<std::string>& networks_of_members);

// Of this member's networks, its address in the first one that all other hosts are in too. An
// address that two hosts have (a container bridge, a NAT) connects neither. Empty: there is none.
std::string address_in_common_network(const Roster& roster,
                                      const std::vector<std::string>& networks_of_members);

// This machine's address on its way to `host`; empty: there is no such host, or no way.
std::string way_to(const std::string& host);

}  // namespace lockstep
