// start_check.h: whether all workers are about to do the same thing. Found out before the first
// step, a mistake costs seconds; later it costs a wrong measurement, or a hang.
#pragma once

#include <map>
#include <string>

#include "comm/communicator.h"
#include "comm/roster.h"
#include "config/run_config.h"

namespace lockstep {

using Traits = std::map<std::string, std::string>;  // what must be equal, and its value

// Version, layout of the engine, and every option that concerns all.
Traits traits_of(const RunConfig& run, const std::string& version, uint64_t layout);

// Collective. Throws Error naming the first difference and both sides.
void check_all_alike(Communicator& control, const Roster& roster, const Traits& mine);

}  // namespace lockstep
