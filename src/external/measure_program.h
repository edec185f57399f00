// measure_program.h: `lockstep train --program`: measures somebody else's program.
#pragma once

#include "base/context.h"
#include "config/run_config.h"

namespace lockstep {

// The run as it would be made, with nothing left open. Throws UsageError with what is wrong.
RunConfig resolve_program_run(const RunConfig& options);

// Runs it, reads its numbers, reports them as those of any run. Returns the exit code.
int train_external(Context& context, const RunConfig& options);

}  // namespace lockstep
