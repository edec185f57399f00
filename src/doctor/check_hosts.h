// check_hosts.h: checks the hosts of a run before it starts.
#pragma once

#include "config/run_config.h"
#include "launch/launch.h"

namespace lockstep {

// Warnings go to stderr. Throws Error with all problems, Interrupted when the user interrupts. The
// program must be on the hosts already.
HostCheck host_check(const RunConfig& run);

}  // namespace lockstep
