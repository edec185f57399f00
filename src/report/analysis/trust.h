// trust.h: reasons not to believe a number, in words, with what to do about each.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/analysis/scaling.h"

namespace lockstep {

// Of what was simulated only that it failed: it has no machine and no chance in it.
// `runs`: all stored runs, in which the configuration's launches have their places.
std::vector<std::string> reasons_for_distrust(const Configuration& configuration,
                                              std::span<const StoredRun> runs);

}  // namespace lockstep
