// processes_in.h: the processes of a host that is a set of namespaces, seen from outside.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "support/host_network.h"

namespace lockstep {

// Numbers, as they are here, of those that live and have this in their command line.
std::vector<pid_t> processes_in(const HostNetwork& hosts, int host, const std::string& text);

// A guard (launch/guard.h) is a copy of the process that it guards, with the same command line: who
// kills both tests neither.
std::vector<pid_t> without_guards(std::vector<pid_t> processes);

}  // namespace lockstep
