// ports.h: addresses on this machine that nobody listens on.
#pragma once

#include <string>
#include <vector>

namespace lockstep {

// "127.0.0.1:port", all different, and free a moment ago. Throws Error when there are none.
std::vector<std::string> free_local_addresses(int count);

}  // namespace lockstep
