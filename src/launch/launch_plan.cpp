#include "launch/launch_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/shell_quote.h"

namespace lockstep {

namespace {

// Without the lines of the scripts that run on hosts.
std::string on_one_line(const std::string& text) {
  const size_t first = text.find('\n'), last = text.rfind('\n');
  if (first == std::string::npos) return text;
  return text.substr(0, first) + " [...] " + text.substr(last + 1);
}

// As a shell command: "A=1 B='x y' program ...".
std::string line_of(const std::map<std::string, std::string>& env,
                    const std::vector<std::string>& argv, const std::string& secret) {
  std::string text;
  for (const auto& [name, value] : env) {
    text += fmt::format("{}={} ", name, name == secret ? "..." : shell_quoted(value));
  }
  return text + on_one_line(shell_line(argv));
}

bool are_the_processes(const LaunchPlan& plan) {
  return std::ranges::equal(plan.processes, plan.commands, [](const auto& process, const auto& it) {
    return process.argv == it.argv;
  });
}

}  // namespace

std::vector<PlannedProcess> processes_of(const LaunchJob& job, const std::string& program,
                                         Ranks ranks) {
  const auto workers = std::ranges::count(job.ranks, false, &PlacedRank::server);
  std::vector<std::string> argv = {program, job.command};
  argv.insert(argv.end(), job.arguments.begin(), job.arguments.end());
  std::vector<PlannedProcess> processes;
  for (const PlacedRank& rank : job.ranks) {
    PlannedProcess process = {.rank = rank.rank,
                              .role = rank.server ? fmt::format("server {}", rank.rank - workers)
                                                  : fmt::format("worker {}", rank.rank),
                              .host = job.hosts[rank.host].name,
                              .argv = argv,
                              .env = job.environment};
    if (ranks == Ranks::Ours) process.env[job.rank_variable] = fmt::to_string(rank.rank);
    const auto place = static_cast<size_t>(rank.rank);
    if (place < job.cores.size()) process.cores = job.cores[place];
    processes.push_back(std::move(process));
  }
  return processes;
}

std::string describe(const LaunchPlan& plan, const std::string& secret) {
  std::string text;
  for (const PlannedProcess& process : plan.processes) {
    text += fmt::format("rank {}, {}, on {}{}: {}\n", process.rank, process.role, process.host,
                        process.cores.empty() ? "" : fmt::format(", cores {}", process.cores),
                        line_of(process.env, process.argv, secret));
  }
  text += fmt::format("port: {}\ncores: {}\n", plan.rendezvous, plan.cores);
  if (!plan.batch_script.empty()) return text + "submitted to Slurm:\n" + plan.batch_script;
  if (are_the_processes(plan)) return text + "started here: all of the above\n";
  text += "started here:\n";
  for (const Command& command : plan.commands) {
    text += fmt::format("  {}\n", line_of(command.env, command.argv, secret));
  }
  return text;
}

}  // namespace lockstep
