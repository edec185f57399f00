// agent.cpp: `lockstep agent`: started by a launcher on every host of --hosts.
#include "launch/agent.h"

#include <ostream>

#include "app/program.h"
#include "doctor/host_probe.h"

namespace lockstep {

int agent_command(RunContext& context, std::span<const std::string> arguments) {
  if (arguments.empty()) return run_agent(context, answer_questions);
  context.out
      << "'lockstep train --hosts' starts this command on every host; it reads its job from "
         "stdin.\n";
  return arguments.front() == "--help" ? kSuccess : kUsage;
}

}  // namespace lockstep
