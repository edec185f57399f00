// settle_run.h: the run that a wish comes to, with everything that is wrong told at once. Two
// wishes for the same work settle to the same configuration.
#pragma once

#include <set>
#include <string>

#include "app/program.h"
#include "config/run_config.h"

namespace lockstep {

// `swept`: options that have several values. Where one of them has no place, as --num-ps without
// servers, it is left out, so that all combinations with it become one run; any other is a problem.
// Throws UsageError.
RunConfig settle_run(const RunConfig& wish, const Surroundings& around,
                     const std::set<std::string>& swept);

// Seconds that it may take, from its arithmetic: rough, for want of anything measured.
double guess_seconds(const RunConfig& run, int cores);

}  // namespace lockstep
