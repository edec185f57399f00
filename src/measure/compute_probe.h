// compute_probe.h: a moment of plain arithmetic on many threads, to find the slow one of many
// machines that should be alike. No statement about what a machine can do.
#pragma once

#include "base/time.h"

namespace lockstep {

// Multiply-adds in single precision, counted as two operations, per second of all threads.
double compute_flops(int threads, Seconds duration);

}  // namespace lockstep
