// compare_hosts.h: finds the core that computes other bits than equal cores of all hosts.
#pragma once

#include "config/json_fwd.h"
#include "selftest/test_row.h"

namespace lockstep {

// Rows of one check on hosts with the same processor must have the same digests. Where more than
// half of the cores agree, each other one becomes a mismatch of its row. `hosts`: facts by name.
void compare_hosts(std::vector<TestRow>& rows, const Json& hosts);

}  // namespace lockstep
