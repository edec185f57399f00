// gather.h: texts (configurations, records) between all ranks, of at most 4 GiB each. Collective:
// every rank calls.
#pragma once

#include <string>
#include <vector>

#include "comm/communicator.h"

namespace lockstep {

std::vector<std::string> all_gather(Communicator& comm, const std::string& mine);  // by rank
// The root gets all of them, the others nothing: for what only it needs.
std::vector<std::string> gather(Communicator& comm, const std::string& mine, int root);
std::string broadcast_text(Communicator& comm, const std::string& text, int root);

}  // namespace lockstep
