// missing_ranks.h: names the missing ranks after communication failed.
//
// A rank sees only that its neighbour went silent, and that one may be waiting for a third. So
// every rank whose call failed says so in the store and looks who does not: those that the store
// lost, or else those that stay silent while all others answered.
#pragma once

#include <string>

#include "comm/roster.h"

namespace lockstep {

// "rank 3 (node2) is gone", "rank 3 (node2) does not answer". `name` is the communicator's;
// `silent` is how long a rank may take to answer.
std::string missing_ranks(Store& store, const Roster& roster, const std::string& name,
                          Seconds silent);

// Ranks that the store lost.
std::vector<int> gone_ranks(Store& store, const Roster& roster);

// A reason that this rank learned elsewhere: missing_ranks() of the others returns it.
void tell_reason(Store& store, const std::string& name, const std::string& reason);

// How a stall time-out is divided: first silence on the wire, then the roll call; the rest is for
// the end of the process.
inline Seconds silence_part(Seconds stall_timeout) { return stall_timeout * 0.8; }
inline Seconds answer_part(Seconds stall_timeout) { return stall_timeout * 0.15; }

}  // namespace lockstep
