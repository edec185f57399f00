// profile.h: the table of --profile: where the time of a step went, by operation.
#pragma once

#include <span>
#include <string>

#include "base/time.h"
#include "report/results/run_result.h"

namespace lockstep {

// `step`: mean duration of the steps that were profiled; shares are parts of it.
std::string profile_table(std::span<const OpResult> ops, int batch, Seconds step);

}  // namespace lockstep
