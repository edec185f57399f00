// merge_ranks.h: merges the results of all ranks into the result of the run.
//
// A step of the run begins when the first rank begins it, but not before the last rank has ended
// the previous step. It ends when the last rank has ended it. All times are on the clock of rank 0.
// So steps do not overlap, and their sum is the duration of the run. (The duration of the slowest
// rank in each step would be wrong: a rank that is late in one step is waited for in the next, and
// that time would count twice.)
#pragma once

#include <vector>

#include "report/results/run_result.h"

namespace lockstep {

// The phases of a step add up to its duration, which they share in the ratio of their sums over the
// ranks. Losses are means over the ranks, images and hits are added up. With one rank the result
// has its steps and no ranks.
void merge_ranks(RunResult& result, std::vector<RankResult> ranks);

}  // namespace lockstep
