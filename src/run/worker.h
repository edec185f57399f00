// worker.h: runs a worker or a parameter server, once its identity is known.
#pragma once

#include "run/rank_identity.h"
#include "run/run_context.h"

namespace lockstep {

// Both return an exit code. Rank 0 prints for all workers; the others print only with --verbose.
int work(RunContext& context, const RunConfig& config, const RankIdentity& identity,
         const Roles& roles);
int serve(const RunConfig& config, const RankIdentity& identity, const Roles& roles);

}  // namespace lockstep
