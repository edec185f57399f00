// agreed_device.h: the workers of a run agree on who uses which GPU.
#pragma once

#include "run/group.h"
#include "run/rank_device.h"

namespace lockstep {

// Collective among the workers, because which GPU is whose depends on what all workers of a host
// see. `gpus` may be null. Throws UsageError when there are too few.
RankDevice agreed_device(const RunConfig& run, Group& group, GpuLibrary* gpus,
                         const Environment& environment);

}  // namespace lockstep
