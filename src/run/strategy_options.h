// strategy_options.h: a configuration's words for how devices work together, as the strategies take
// them.
#pragma once

#include "config/run_config.h"
#include "sync/sync_options.h"

namespace lockstep {

SyncOptions sync_options(const RunConfig& run);

}  // namespace lockstep
