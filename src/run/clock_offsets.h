// clock_offsets.h: measures the clock offsets between workers, and how they drift.
#pragma once

#include <vector>

#include "base/time.h"
#include "comm/communicator.h"

namespace lockstep {

// What to add to each rank's clock to get that of rank 0.
struct ClockOffsets {
  TimePoint at;                   // on the clock of rank 0
  std::vector<Seconds> of_ranks;  // empty but on rank 0
  std::vector<Seconds> errors;    // of each, at most: half of the shortest round trip
};

// Collective. By ping-pong, of which the shortest of several round trips counts.
ClockOffsets measure_clock_offsets(Communicator& control);

// The clock of one rank, measured twice: between them the offset changes in a straight line. A
// difference that the errors explain is no drift: then steps follow each other without a gap.
class RankClock {
 public:
  RankClock(const ClockOffsets& before, const ClockOffsets& after, size_t rank);
  // What to add to a moment on this clock.
  Seconds offset(TimePoint theirs) const;

 private:
  TimePoint begin_;  // on this clock
  Seconds offset_;   // at that time
  double drift_ = 0;
};

}  // namespace lockstep
