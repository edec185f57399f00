// reachable_address.h: an address of this machine that other hosts can reach.
#pragma once

#include <string>

namespace lockstep {

// For a server on all addresses ("0.0.0.0", "::"): the first non-loopback address of that family,
// else the host name. Any other address is returned unchanged.
std::string reachable_address(const std::string& listening_on);

}  // namespace lockstep
