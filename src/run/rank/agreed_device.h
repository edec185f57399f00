// agreed_device.h: the workers of a run agree on who uses which GPU.
#pragma once

#include "run/engines.h"
#include "run/group.h"
#include "run/rank/rank_device.h"

namespace lockstep {

// `gpu` becomes what `engine` sees on this host, as "xpu". Throws UsageError when that is nothing.
std::string named_device(const std::string& device, const EngineKind* engine);

// Collective among the workers, because which GPU is whose depends on what all workers of a host
// see. `gpus` may be null; then `engine`, which may be null too, says how many there are. Throws
// UsageError when there are too few.
RankDevice agreed_device(const RunConfig& run, Group& group, GpuLibrary* gpus,
                         const EngineKind* engine, const Environment& environment);

}  // namespace lockstep
