// merge_ranks.h: the result of a run from what each of its workers saw.
#pragma once

#include <vector>

#include "report/run_result.h"

namespace lockstep {

// A step takes as long as on the slowest rank, whose phases it gets; images and hits are added up,
// losses averaged. With one rank the result has its steps and no ranks.
void merge_ranks(RunResult& result, std::vector<RankResult> ranks);

}  // namespace lockstep
