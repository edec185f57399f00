// profile.h: the table of --profile: time of a step by operation.
#pragma once

#include <span>
#include <string>

#include "base/time.h"
#include "report/render/text_table.h"
#include "report/results/run_result.h"

namespace lockstep {

// `step`: mean duration of the profiled steps, the base of the shares.
std::string profile_table(std::span<const OpResult> ops, int batch, Seconds step,
                          TableWidth width = TableWidth::Terminal);

}  // namespace lockstep
