// clock_offsets.h: measures the clock offsets between workers.
#pragma once

#include <vector>

#include "base/time.h"
#include "comm/communicator.h"

namespace lockstep {

// Collective. Of rank 0: what to add to each rank's clock to get its own; empty elsewhere. By
// ping-pong: half of the shortest of several round trips bounds the error.
std::vector<Seconds> clock_offsets(Communicator& control);

}  // namespace lockstep
