// ports.h: ports of this machine that nobody listens on.
#pragma once

#include <vector>

namespace lockstep {

// All different, and free a moment ago. Throws Error when there are none.
std::vector<int> free_ports(int count);

}  // namespace lockstep
