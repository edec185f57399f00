#include "launch/ssh_plan.h"

#include <fmt/format.h>

#include <map>

#include "launch/deploy.h"
#include "launch/remote_scripts.h"

namespace lockstep {
namespace {

AgentJob agent_job(const LaunchJob& job, size_t position) {
  return {.ranks = {},
          .size = static_cast<int>(job.ranks.size()),
          .command = job.command,
          .arguments = job.arguments,
          .version = job.version,
          .environment = job.environment,
          .token = job.token,
          .keeps_store = false,
          .store_port = job.store_port,
          // Beside the program's, which is the agent's working directory. Hosts may share disks.
          .directory = fmt::format("../run-{}-{}", job.id, position)};
}

}  // namespace

LaunchPlan plan_ssh(const LaunchJob& job) {
  const std::string name = directory_name(job.program);
  const std::vector<std::string> agent =
      remote_command(RemoteScript::StartAgent, {job.remote_dir, name});
  LaunchPlan plan;
  plan.processes =
      processes_of(job, fmt::format("{}/{}/lockstep", job.remote_dir, name), Ranks::Ours);
  std::map<size_t, size_t> position;  // of a host among those that have ranks
  for (const PlacedRank& rank : job.ranks) {
    const auto [found, is_new] = position.try_emplace(rank.host, plan.hosts.size());
    if (is_new) {
      const Host& host = job.hosts[rank.host];
      plan.agents.push_back(agent_job(job, plan.hosts.size()));
      plan.hosts.push_back(host);
      plan.commands.push_back(on_host(host, agent, job.ssh));
      plan.commands.back().listens = true;
    }
    plan.agents[found->second].ranks.push_back(rank.rank);
    if (rank.rank == 0) plan.keeper = found->second;
  }
  plan.agents[plan.keeper].keeps_store = true;
  plan.rendezvous =
      fmt::format("{} on {}", job.store_port == 0 ? "a free port" : fmt::to_string(job.store_port),
                  plan.hosts[plan.keeper].name);
  plan.cores = "divided among the workers of a host, each pinned to its own";
  return plan;
}

}  // namespace lockstep
