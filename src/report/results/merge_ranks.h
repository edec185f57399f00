// merge_ranks.h: the result of a run from what each of its workers saw.
//
// A step of the run begins when the first rank begins it, but not before the last has ended the
// step before, and ends when the last rank has ended it, all on the clock of rank 0. So steps do
// not overlap, and together they take as long as the run. (Durations of the slowest rank of each
// step would not do: who is late in one step is waited for in the next, and that time would count
// in both.)
#pragma once

#include <vector>

#include "report/results/run_result.h"

namespace lockstep {

// Phases and losses are means over the ranks, images and hits are added up. With one rank the
// result has its steps and no ranks.
void merge_ranks(RunResult& result, std::vector<RankResult> ranks);

}  // namespace lockstep
