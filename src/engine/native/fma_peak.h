// fma_peak.h: the measured FMA peak of this machine, the reference for GFLOP/s.
#pragma once

namespace lockstep {

// Fused multiply-adds in registers on `threads` cores at once, in GFLOP/s (two operations each):
// the best of some bursts, about a tenth of a second in all. A core that is shared with somebody
// else shows as a lower figure.
double measured_fma_peak(int threads);

}  // namespace lockstep
