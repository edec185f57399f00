// consistency_check.h: checks that all ranks have the same configuration. Before they connect,
// a mistake costs seconds; later it costs a wrong measurement or a hang.
#pragma once

#include <map>
#include <string>

#include "comm/roster.h"
#include "comm/store.h"
#include "config/run_config.h"

namespace lockstep {

using Traits = std::map<std::string, std::string>;  // what must be equal, and its value

// The version of lockstep, and every option that concerns all.
Traits traits_of(const RunConfig& run, const std::string& version);

// All members of the roster call it, each subject once. Throws Error, the same on all of them, that
// names the first difference and both sides.
void check_consistency(Store& store, const Roster& roster, const std::string& subject,
                       const Traits& mine, Seconds timeout);

}  // namespace lockstep
