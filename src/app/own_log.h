// own_log.h: --log-dir of a process that no launcher of ours started: it writes its own log.
#pragma once

#include <functional>

#include "config/run_config.h"
#include "run/run_context.h"

namespace lockstep {

// Runs with streams that write to those of `context` and to the log rank-RANK-HOST.log in
// config.log_dir, as the launcher names it. Returns what `run` returned. Throws UsageError when
// the directory cannot be created.
int with_own_log(RunContext& context, const RunConfig& config, int rank,
                 const std::function<int(RunContext&)>& run);

}  // namespace lockstep
