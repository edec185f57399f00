// possible_result.h: refuses results that no run can have had.
//
// Whoever wrote a result may have written anything. Analyses add, sort and divide its samples, and
// draw them: sums must be finite, and steps take time. Throws Error, which says what it holds.
#pragma once

#include "config/json_fwd.h"
#include "report/results/run_result.h"

namespace lockstep {

void refuse_impossible_numbers(const Json& result);
void refuse_impossible_steps(const RunResult& result);

}  // namespace lockstep
