// reachable_address.h: an address of this machine under which others can reach it.
#pragma once

#include <string>

namespace lockstep {

// For whoever listens on all addresses ("0.0.0.0", "::"): the first of that family that is not only
// for this machine, or else the name of the machine. Any other host is what it is.
std::string reachable_address(const std::string& listening_on);

}  // namespace lockstep
