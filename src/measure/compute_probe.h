// compute_probe.h: a short arithmetic benchmark on many threads, to find the slow one among
// machines that should be equal. It is not a measure of peak performance.
#pragma once

#include "base/time.h"

namespace lockstep {

// Multiply-adds in single precision, counted as two operations, per second of all threads.
double compute_flops(int threads, Seconds duration);

}  // namespace lockstep
