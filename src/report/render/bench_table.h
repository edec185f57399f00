// bench_table.h: several runs, one row each.
#pragma once

#include <span>
#include <string>

#include "report/results/run_result.h"

namespace lockstep {

std::string bench_table(std::span<const RunResult> results);

}  // namespace lockstep
