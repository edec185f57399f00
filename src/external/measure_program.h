// measure_program.h: `lockstep train --program`: measures an external program.
#pragma once

#include "base/context.h"
#include "config/run_config.h"

namespace lockstep {

// The resolved configuration of the run. Throws UsageError with all problems.
RunConfig resolve_program_run(const RunConfig& options);

// Runs the program and reports its numbers like those of any run. Returns the exit code.
int train_external(Context& context, const RunConfig& options);

}  // namespace lockstep
