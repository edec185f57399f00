// server_run.h: runs a parameter server in a process of its own.
#pragma once

#include "run/rank/rank_identity.h"
#include "run/run_context.h"

namespace lockstep {

// Returns an exit code when the workers are done. Started by hand (--job-name), it prints what
// happens on stdout; else to its log.
int serve(RunContext& context, const RunConfig& config, const RankIdentity& identity,
          const Roles& roles);

}  // namespace lockstep
