#include "launch/launch_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/shell_quote.h"

namespace lockstep {

std::vector<PlannedProcess> processes_of(const LaunchJob& job, const std::string& program) {
  const auto workers = std::ranges::count(job.ranks, false, &PlacedRank::server);
  std::vector<std::string> argv = {program, job.command};
  argv.insert(argv.end(), job.arguments.begin(), job.arguments.end());
  std::vector<PlannedProcess> processes;
  for (const PlacedRank& rank : job.ranks) {
    processes.push_back({.rank = rank.rank,
                         .role = rank.server ? fmt::format("server {}", rank.rank - workers)
                                             : fmt::format("worker {}", rank.rank),
                         .host = job.hosts[rank.host].name,
                         .argv = argv});
  }
  return processes;
}

std::string describe(const LaunchPlan& plan) {
  std::string text;
  for (const PlannedProcess& process : plan.processes) {
    text += fmt::format("rank {}, {}, on {}: {}\n", process.rank, process.role, process.host,
                        shell_line(process.argv));
  }
  text += fmt::format("port: {}\ncores: {}\n", plan.meeting, plan.cores);
  if (!plan.batch_script.empty()) return text + "submitted to Slurm:\n" + plan.batch_script;
  text += "started here:\n";
  for (const Command& command : plan.commands) {
    text += fmt::format("  {}\n", shell_line(command.argv));
  }
  return text;
}

}  // namespace lockstep
