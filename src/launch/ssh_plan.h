// ssh_plan.h: the launcher of other hosts by ssh. The program is brought to every host, and one
// agent on each runs the ranks there and ends them when the launcher is gone. The agent of rank
// 0's host keeps the store; when it listens, all begin.
#pragma once

#include "launch/launch_plan.h"

namespace lockstep {

LaunchPlan plan_ssh(const LaunchJob& job);

}  // namespace lockstep
