// all_reduce_files.h: results of `lockstep allreduce --result` that lie beside those of a sweep.
#pragma once

#include <string>
#include <vector>

#include "config/json_fwd.h"

namespace lockstep {

// Of files allreduce*.json in these directories, in the order of their names; without the time of
// every iteration. Files that are something else are ignored.
Json all_reduce_results(const std::vector<std::string>& directories);

}  // namespace lockstep
