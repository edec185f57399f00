// own_address.h: the address at which other hosts of a run reach this one.
#pragma once

#include <string>

#include "comm/roster.h"

namespace lockstep {

// That of `interface`; without one, where the way to the other hosts begins, or loopback when there
// are none. Throws Error when no other host's name can be resolved: then the user has to choose.
std::string own_address(const Roster& roster, const std::string& interface);

// This machine's address on its way to `host`; empty: there is no such host, or no way.
std::string way_to(const std::string& host);

}  // namespace lockstep
