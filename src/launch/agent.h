// agent.h: runs the ranks of one host for a launcher at the other end of ssh. The agent lives as
// long as that connection.
#pragma once

#include <functional>
#include <string>

#include "base/context.h"

namespace lockstep {

// What an agent does when it is asked about its host instead of being given ranks to run. `index`
// is the host's number; `next_line` waits for a question and throws Error when there are no more.
// Returns the exit code.
using AnswerProbe = std::function<int(const Context& context, const std::string& index,
                                      const std::function<std::string()>& next_line)>;

// Reads its job from stdin. Returns the exit code; throws Error when the launcher is gone.
int run_agent(Context& context, const AnswerProbe& answer_probe);

}  // namespace lockstep
