#include "launch/local_plan.h"

#include <fmt/format.h>

namespace lockstep {

std::vector<Command> plan_local(const LocalJob& job) {
  std::vector<Command> plan;
  for (const int rank : job.ranks) {
    Command& command = plan.emplace_back();
    command.name = fmt::format("rank {} ({})", rank, job.host);
    command.argv = job.argv;
    command.env = job.environment;
    command.directory = job.directory;
    command.env[job.rank_variable] = fmt::to_string(rank);
  }
  return plan;
}

LaunchPlan plan_this_machine(const LaunchJob& job) {
  LaunchPlan plan;
  plan.processes = processes_of(job, job.program, Ranks::Ours);
  LocalJob local = {.argv = plan.processes.front().argv,
                    .ranks = {},
                    .host = job.hosts.front().name,
                    .environment = job.environment,
                    .rank_variable = job.rank_variable};
  for (const PlacedRank& rank : job.ranks) local.ranks.push_back(rank.rank);
  plan.commands = plan_local(local);
  plan.rendezvous = "a free port on this machine, loopback only";
  plan.cores = job.cores.empty() ? "shared by all workers: there are more workers than cores"
                                 : "divided among the workers; each worker is pinned to its own";
  return plan;
}

}  // namespace lockstep
