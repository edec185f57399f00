// agent.h: runs the ranks of one host for a launcher that is connected by ssh. The agent ends with
// that connection.
#pragma once

#include <functional>
#include <string>

#include "base/context.h"

namespace lockstep {

// Called when the agent is to probe its host instead of running ranks. `index` is the host's
// number. `next_line` waits for a question and throws Error at the end of input. Returns the exit
// code.
using AnswerProbe = std::function<int(const Context& context, const std::string& index,
                                      const std::function<std::string()>& next_line)>;

// Reads its job from stdin. Returns the exit code. Throws Error if the launcher is gone.
int run_agent(Context& context, const AnswerProbe& answer_probe);

}  // namespace lockstep
