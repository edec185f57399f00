// local.h: ranks as threads of one process, the simplest communicator; used by tests.
#pragma once

#include <memory>
#include <vector>

#include "base/time.h"
#include "comm/communicator.h"

namespace lockstep {

// One per rank; each is used by its own thread. They share the state that the last one frees.
std::vector<std::unique_ptr<Communicator>> make_local(int size,
                                                      Seconds stall_timeout = Seconds{60});

}  // namespace lockstep
