// hierarchical.h: shared memory inside each host, one leader per host between them.
//
// A sum is taken inside every host, then over the leaders, then handed down: each byte crosses the
// network once per host and not once per rank. Messages from rank to rank go over the network
// back-end, which connects everybody.
#pragma once

#include <memory>

#include "comm/comm_options.h"
#include "comm/communicator.h"
#include "comm/roster.h"

namespace lockstep {

using MakeCommunicator = std::unique_ptr<Communicator> (*)(const Roster&, const CommOptions&,
                                                           Store&);

// `between` makes both the leaders' communicator, which gets the rules and the compression, and the
// one of all ranks.
std::unique_ptr<Communicator> make_hierarchical(const Roster& roster, const CommOptions& options,
                                                Store& store, MakeCommunicator between);

}  // namespace lockstep
