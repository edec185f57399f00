// host_probe.h: what a host answers when the doctor asks.
//
// An agent that is told "probe INDEX" becomes a probe: it answers lines "INDEX QUESTION JSON", one
// at a time, with "answer QUESTION JSON", until its stdin ends. INDEX "-" is the task of srun,
// which hands every line to all of its tasks.
#pragma once

#include <functional>
#include <string>

#include "base/context.h"
#include "config/json_fwd.h"

namespace lockstep {

// `next_line` waits for one, and throws Error when there are no more.
int answer_questions(const Context& context, const std::string& index,
                     const std::function<std::string()>& next_line);

// The facts of this host that cost nothing to find out. `directory`: whose disk counts.
Json cheap_facts(const Context& context, const std::string& directory);

}  // namespace lockstep
