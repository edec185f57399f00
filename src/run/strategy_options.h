// strategy_options.h: converts a configuration to the options of the strategies.
#pragma once

#include "config/run_config.h"
#include "sync/sync_options.h"

namespace lockstep {

SyncOptions sync_options(const RunConfig& run);

}  // namespace lockstep
