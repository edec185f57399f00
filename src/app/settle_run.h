// settle_run.h: the run that a wish comes to, with everything that is wrong told at once. Two
// wishes for the same work settle to the same configuration.
#pragma once

#include "app/program.h"
#include "config/run_config.h"

namespace lockstep {

// Throws UsageError.
RunConfig settle_run(const RunConfig& wish, const Surroundings& around);

// Seconds that it may take, from its arithmetic: rough, for want of anything measured.
double guess_seconds(const RunConfig& run, int cores);

}  // namespace lockstep
