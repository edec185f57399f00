// fill_paths.h: critical paths of launches that were stored without one, from their raw files.
#pragma once

#include "report/analysis/critical_path.h"
#include "report/analysis/regressions.h"

namespace lockstep {

// Of runs on several devices; does nothing if there are more than `most` of them. A launch whose
// file is missing stays without a path.
void fill_paths(RunCollection& collection, size_t most);

}  // namespace lockstep
