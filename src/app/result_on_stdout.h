// result_on_stdout.h: --result -: stdout holds the result as JSON and nothing else.
#pragma once

#include <functional>

#include "config/run_config.h"
#include "run/run_context.h"

namespace lockstep {

// Runs with a temporary file as config.result and with stderr in place of stdout, then copies that
// file to stdout. Returns what `run` returned.
int with_result_on_stdout(RunContext& context, RunConfig& config,
                          const std::function<int(RunContext&)>& run);

}  // namespace lockstep
