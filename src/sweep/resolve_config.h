// resolve_config.h: the run that a requested comes to, with everything that is wrong told at once.
// Two options for the same work settle to the same configuration.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "config/run_config.h"
#include "config/run_options.h"
#include "run/run_context.h"

namespace lockstep {

bool has_use_for(std::string_view strategy, const RunOption& option, const std::string& value);

// `swept`: options that may be left out where they have no place, as --num-ps without servers, so
// that all combinations with them become one run; any other is a problem. Throws UsageError.
RunConfig resolve_config(const RunConfig& requested, const RunContext& context,
                         const std::set<std::string>& swept);

// Seconds that it may take, from its arithmetic: rough, for want of anything measured.
double guess_seconds(const RunConfig& run, int cores);

}  // namespace lockstep
