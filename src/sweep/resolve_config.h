// resolve_config.h: resolves the configuration of a run and reports all problems together. Two
// requests for the same work resolve to the same configuration.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "config/run_config.h"
#include "config/run_options.h"
#include "run/run_context.h"

namespace lockstep {

bool has_use_for(std::string_view strategy, const RunOption& option, const std::string& value);

// `swept`: options that are reset where they have no effect, such as --num-ps without servers, so
// that these combinations become one run. Other options without effect are a problem. Adds what a
// user should know to `notes`. Throws UsageError.
RunConfig resolve_config(const RunConfig& requested, const RunContext& context,
                         const std::set<std::string>& swept, std::set<std::string>& notes);

// Rough estimate of its duration in seconds, from its arithmetic operations.
double guess_seconds(const RunConfig& run, int cores);

}  // namespace lockstep
