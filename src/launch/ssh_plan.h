// ssh_plan.h: the ssh launcher. The program is copied to every host. One agent per host runs the
// ranks there and ends them if the launcher is gone. The agent of rank 0's host runs the store; all
// ranks start when it listens.
#pragma once

#include "launch/launch_plan.h"

namespace lockstep {

LaunchPlan plan_ssh(const LaunchJob& job);

}  // namespace lockstep
