// check_hosts.h: checks the hosts of a run before it starts.
#pragma once

#include <functional>

#include "base/context.h"
#include "launch/launch_plan.h"

namespace lockstep {

// A HostCheck of launch/launch.h: warnings go to stderr. Throws Error with all problems,
// Interrupted when the user interrupts. The program must be on the hosts already.
void check_hosts(Context& context, const LaunchPlan& plan, const LaunchJob& job,
                 const std::function<bool()>& interrupted);

}  // namespace lockstep
