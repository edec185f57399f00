// check_hosts.h: `lockstep doctor`, and what a launcher asks the doctor before it starts a run.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "app/program.h"
#include "launch/launch_plan.h"

namespace lockstep {

int doctor_command(RunContext& context, std::span<const std::string> arguments);

// Warnings go to stderr. Throws Error with all problems, Interrupted when the user wants no more.
// The program must be on the hosts already.
void look_at_hosts(Context& context, const LaunchPlan& plan, const LaunchJob& job,
                   const std::function<bool()>& interrupted);

}  // namespace lockstep
