#include "launch/local.h"

#include <fmt/format.h>

namespace lockstep {

std::vector<Command> plan_local(const LocalJob& job) {
  std::vector<Command> plan;
  for (int rank = 0; rank < job.processes; ++rank) {
    Command& command = plan.emplace_back();
    command.name = fmt::format("rank {} ({})", rank, job.host);
    command.argv = job.argv;
    command.env = job.environment;
    command.env[job.rank_variable] = fmt::to_string(rank);
  }
  return plan;
}

}  // namespace lockstep
