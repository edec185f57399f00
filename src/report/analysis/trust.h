// trust.h: warnings about the numbers of a configuration, each with advice.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/analysis/scaling.h"

namespace lockstep {

// For simulated results only failures: they have no machine and no variation.
// `runs`: all stored runs; the launches of the configuration are indices into it.
std::vector<std::string> reasons_for_distrust(const Configuration& configuration,
                                              std::span<const StoredRun> runs);

// Before the launch. A sweep itself causes a load of one per thread; anything above is others'.
bool others_ran_before(const HostInfo& host);

}  // namespace lockstep
