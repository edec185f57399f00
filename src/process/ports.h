// ports.h: free TCP ports of this machine.
#pragma once

#include <vector>

namespace lockstep {

// All different, and free at the time of the call. Throws Error if there are none.
std::vector<int> free_ports(int count);

}  // namespace lockstep
