// gloo.h: ranks anywhere, over TCP with the Gloo library.
//
// Every two ranks have a connection. The ranks find each other in the store, and talk on the given
// network interface or on the one that leads to the store. A rank on another host that would be
// told a loopback address is an error, not a slow run.
#pragma once

#include <memory>
#include <string>

#include "comm/comm_options.h"
#include "comm/communicator.h"
#include "comm/roster.h"

namespace lockstep {

std::unique_ptr<Communicator> make_gloo(const Roster& roster, const CommOptions& options,
                                        Store& store);

std::string gloo_version();  // "0.5.0"

}  // namespace lockstep
