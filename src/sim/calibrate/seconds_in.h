// seconds_in.h: what a measured run spent in phases of its steps.
#pragma once

#include <initializer_list>

#include "report/results/run_result.h"

namespace lockstep {

// Median over steps, so that one in which the machine did something else does not count; mean of
// ranks. Results without phases of steps have their means.
double seconds_in(const RunResult& run, std::initializer_list<Phase> phases);

double computing(const RunResult& run);  // forward and backward

}  // namespace lockstep
