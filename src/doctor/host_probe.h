// host_probe.h: the host probe: answers the questions of the doctor about its host.
//
// An agent that reads "probe INDEX" becomes a probe. It answers lines "INDEX QUESTION JSON", one at
// a time, with "answer QUESTION JSON", until its stdin ends. INDEX "-" means the number of the srun
// task, because srun passes every line to all tasks.
#pragma once

#include <functional>
#include <string>

#include "base/context.h"
#include "config/json_fwd.h"

namespace lockstep {

// `next_line` waits for a line and throws Error at the end of input.
int answer_questions(const Context& context, const std::string& index,
                     const std::function<std::string()>& next_line);

// Facts of this host that need no measurement. `directory`: whose disk is checked.
Json cheap_facts(const Context& context, const std::string& directory);

}  // namespace lockstep
