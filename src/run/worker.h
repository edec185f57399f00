// worker.h: runs a worker, once its identity is known.
#pragma once

#include "run/rank/rank_identity.h"
#include "run/run_context.h"

namespace lockstep {

// Returns an exit code. Rank 0 prints for all workers. Started by hand (--job-name), every worker
// prints its own steps and the total of all.
int work(RunContext& context, const RunConfig& config, const RankIdentity& identity,
         const Roles& roles);

}  // namespace lockstep
