// slow_ranks.h: the ranks that cause most of the lateness of a budget, and their names.
#pragma once

#include <span>
#include <string>

#include "report/results/path_summary.h"

namespace lockstep {

// Those that cause at least half of it, each nearly as much as the worst; worst first. Empty: ranks
// are late in turn. `devices`: of all hosts. Borrows the path.
std::span<const LateRank> slow_ranks(const PathSummary& path, int devices);

// None of these takes an empty list, and more than three are named as three and others.
std::string name_of_slow_ranks(std::span<const LateRank> slow);  // "late rank 1"
std::string words_on_slow_ranks(std::span<const LateRank> slow);

}  // namespace lockstep
