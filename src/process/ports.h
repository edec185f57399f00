// ports.h: free TCP ports of this machine.
#pragma once

#include <vector>

namespace lockstep {

// All different, and free at the time of the call. Throws Error if there are none.
std::vector<int> free_ports(int count);

// At the loopback address.
bool is_free_port(int port);         // a server could listen there
bool accepts_connections(int port);  // a server does

}  // namespace lockstep
