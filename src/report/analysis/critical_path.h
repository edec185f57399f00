// critical_path.h: the critical paths of all steps of a launch, as means, with the ranks that were
// late and the servers that were slow.
#pragma once

#include <optional>

#include "report/analysis/step_walk.h"

namespace lockstep {

// Absent: the result has no steps, or has_path() is false.
std::optional<PathSummary> critical_path_of(const RunResult& result);

}  // namespace lockstep
