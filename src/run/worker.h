// worker.h: what a process of a run does once it knows its identity.
#pragma once

#include "run/rank_identity.h"
#include "run/run_context.h"

namespace lockstep {

// Both return an exit code. Rank 0 speaks for all workers; the others only with --verbose.
int work(RunContext& context, const RunConfig& config, const RankIdentity& identity,
         const Roles& roles);
int serve(const RunConfig& config, const RankIdentity& identity, const Roles& roles);

}  // namespace lockstep
