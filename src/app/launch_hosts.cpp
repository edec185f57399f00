#include "app/launch_hosts.h"

#include <fmt/ranges.h>
#include <unistd.h>

#include <limits>
#include <map>
#include <ostream>

#include "app/interrupt.h"
#include "app/remote_files.h"
#include "base/error.h"
#include "base/text.h"
#include "comm/store_server.h"
#include "config/run_options.h"
#include "launch/agent_protocol.h"
#include "launch/deploy.h"
#include "launch/placement.h"
#include "launch/run_commands.h"
#include "launch/shell_quote.h"
#include "sync/strategies.h"

namespace lockstep {
namespace {

// $1 is where the program and the libraries that the host lacks are.
constexpr const char* kStartAgent =
    "d=$(cd -- \"$1\" && pwd) && "
    "LD_LIBRARY_PATH=\"$d${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\" exec \"$d/lockstep\" agent";
constexpr Seconds kBetweenSignsOfLife{5};
constexpr Seconds kForLogs{10};  // after a failure: for the other hosts to send what they have

// What only the launcher needs to know.
bool is_launchers(const std::string& option) {
  constexpr std::string_view kOptions[] = {"hosts",      "nodes",      "num-workers", "ps-per-node",
                                           "remote-dir", "ssh-option", "dry-run"};
  return std::find(std::begin(kOptions), std::end(kOptions), option) != std::end(kOptions);
}

std::vector<std::string> arguments_for_workers(const RunConfig& run) {
  const RunConfig there = RemoteFiles::remote(run), defaults;
  std::vector<std::string> arguments;
  for (const RunOption& option : run_options()) {
    const std::string text = text_of(there, option);
    if (is_launchers(option.name) || text == text_of(defaults, option)) continue;
    arguments.push_back(fmt::format("--{}={}", option.name, text));
  }
  return arguments;
}

struct HostsPlan {
  std::string id;                  // of this run and no other
  std::vector<Host> hosts;         // that have ranks, as they are listed
  std::vector<AgentJob> jobs;      // one each
  size_t keeper = 0;               // the host of rank 0, where all meet
  std::vector<std::string> roles;  // by rank: "worker 0", "server 1"
};

PlacementWish wish_of(const RunConfig& run) {
  const bool served = find_strategy(run.variable_update).needs_servers;
  const bool processes = served && !run.ps_in_worker;
  PlacementWish wish = {.nodes = run.nodes,
                        .workers_per_node = {},
                        .workers = run.num_workers,
                        .servers = processes ? run.num_ps.value_or(1) : 0,
                        .servers_per_node = run.ps_per_node};
  if (run.num_devices > 1) wish.workers_per_node = run.num_devices;
  return wish;
}

HostsPlan plan_hosts(const RunConfig& run) {
  const std::vector<Host> all = read_hosts(run.hosts);
  const std::vector<PlacedRank> ranks = place_ranks(all, wish_of(run));
  HostsPlan plan;
  plan.id = random_token();
  std::map<size_t, size_t> position;  // of a host in the plan
  const int workers = static_cast<int>(
      std::ranges::count_if(ranks, [](const PlacedRank& rank) { return !rank.server; }));
  for (const PlacedRank& rank : ranks) {
    if (!position.contains(rank.host)) {
      position[rank.host] = plan.hosts.size();
      plan.hosts.push_back(all[rank.host]);
      plan.jobs.push_back({.ranks = {},
                           .size = static_cast<int>(ranks.size()),
                           .command = "train",
                           .arguments = arguments_for_workers(run),
                           .token = {},
                           .keeps_store = false,
                           .directory = {},
                           .logs = !run.log_dir.empty()});
    }
    plan.jobs[position[rank.host]].ranks.push_back(rank.rank);
    if (rank.rank == 0) plan.keeper = position[rank.host];
    plan.roles.push_back(rank.server ? fmt::format("server {}", rank.rank - workers)
                                     : fmt::format("worker {}", rank.rank));
  }
  const std::string token = random_token();
  for (size_t host = 0; host < plan.jobs.size(); ++host) {
    plan.jobs[host].token = token;
    // Hosts may share their disks.
    plan.jobs[host].directory = fmt::format("{}/run-{}-{}", run.remote_dir, plan.id, host);
  }
  plan.jobs[plan.keeper].keeps_store = true;
  return plan;
}

SshOptions ssh_options(const RunConfig& run) {
  SshOptions options;
  if (!run.ssh_option.empty()) options.more = split(run.ssh_option, ',');
  return options;
}

void describe(const RunConfig& run, const HostsPlan& plan, const std::string& program,
              std::ostream& out) {
  for (size_t host = 0; host < plan.hosts.size(); ++host) {
    const AgentJob& job = plan.jobs[host];
    out << fmt::format("{} (ssh {}){}\n", plan.hosts[host].name, plan.hosts[host].ssh_target,
                       host == plan.keeper ? ", keeps the store at a free port" : "");
    for (const int rank : job.ranks) {
      std::vector<std::string> words = {
          fmt::format("{}/{}/lockstep", run.remote_dir, directory_name(program)), job.command};
      words.insert(words.end(), job.arguments.begin(), job.arguments.end());
      out << fmt::format("  rank {}, {}: {}\n", rank, plan.roles[static_cast<size_t>(rank)],
                         shell_line(words));
    }
    out << fmt::format("  cores: divided among the workers there, each pinned to its part\n");
  }
}

// Listens to all agents and answers them.
class Conversation {
 public:
  Conversation(Surroundings& around, const RunConfig& run, const HostsPlan& plan)
      : around_(around), run_(run), plan_(plan), files_(run) {
    for (size_t host = 0; host < plan.hosts.size(); ++host) {
      letters_.push_back({host, job_to_json(plan.jobs[host]).dump() + "\n"});
    }
  }

  Next hear(const OutputLine& line) {
    const AgentLine said = parse_agent_line(line.text);
    if (line.from_stderr) {  // of ssh, or of an agent that could not begin
      complaints_[line.command] = line.text;
      around_.err << "[" << host(line.command) << "] " << line.text << "\n" << std::flush;
    } else if (said.kind == "store") {
      tell_all(fmt::format("store {}:{}\n", in_brackets(host(plan_.keeper)), said.name));
    } else if (said.kind == "out" || said.kind == "err") {
      show(line.command, said);
    } else if (said.kind == "file") {
      files_.add(host(line.command), said.name, from_base64(said.text));
    } else if (said.kind == "last" || said.kind == "failed") {
      explain(line.command, said);
    }
    return Next::GoOn;
  }

  std::vector<Letter> letters() {
    if (interrupts_.interrupted() && !stopping_) {
      stopping_ = true;
      tell_all("stop\n");
    }
    if (seconds_since(told_) > kBetweenSignsOfLife) {
      told_ = Clock::now();
      tell_all(fmt::format("{}\n", kAlive));
    }
    return std::exchange(letters_, {});
  }

  // A failed run has told all others to stop, and does not wait long for them.
  Next poll() const {
    return failed_at_ && seconds_since(*failed_at_) > kForLogs ? Next::Stop : Next::GoOn;
  }

  int exit_code(const PlanOutcome& outcome) const {
    if (failed_) return kFailure;
    if (outcome.end == RunEnd::Failed) {
      const auto said = complaints_.find(outcome.culprit);
      around_.err << fmt::format("lockstep: host {}; the run was ended\n",
                                 said == complaints_.end()
                                     ? outcome.why
                                     : fmt::format("{}: {}", host(said->first), said->second));
      return stopping_ ? kInterrupted : kFailure;
    }
    return stopping_ ? kInterrupted : kSuccess;
  }

 private:
  const std::string& host(size_t command) const { return plan_.hosts[command].name; }

  // As host:port needs it.
  static std::string in_brackets(const std::string& name) {
    return name.find(':') == std::string::npos ? name : "[" + name + "]";
  }

  void tell_all(const std::string& text) {
    for (size_t host = 0; host < plan_.hosts.size(); ++host) letters_.push_back({host, text});
  }

  void show(size_t command, const AgentLine& said) {
    if (said.name == "0") {
      (said.kind == "out" ? around_.out : around_.err) << said.text << "\n" << std::flush;
    } else if (run_.verbose) {
      around_.err << "[" << host(command) << " rank " << said.name << "] " << said.text << "\n"
                  << std::flush;
    }
  }

  // The first that failed is the reason; what the others say follows from it.
  void explain(size_t command, const AgentLine& said) {
    if (failed_ && *failed_ != command) return;
    failed_ = command;
    if (said.kind == "last") {
      around_.err << "[" << host(command) << "] " << said.text << "\n" << std::flush;
      return;
    }
    around_.err << "lockstep: " << said.text << "; the run was ended\n" << std::flush;
    failed_at_ = Clock::now();
    tell_all("stop\n");
  }

  Surroundings& around_;
  const RunConfig& run_;
  const HostsPlan& plan_;
  RemoteFiles files_;
  InterruptWatch interrupts_;
  std::vector<Letter> letters_;
  std::map<size_t, std::string> complaints_;  // the last of each ssh
  std::optional<size_t> failed_;
  std::optional<TimePoint> failed_at_;
  TimePoint told_ = Clock::now();
  bool stopping_ = false;
};

}  // namespace

int launch_hosts(Surroundings& around, const RunConfig& run) {
  const HostsPlan plan = plan_hosts(run);
  if (run.dry_run) {
    describe(run, plan, around.program, around.out);
    return kSuccess;
  }
  const SshOptions ssh = ssh_options(run);
  const std::string directory =
      deploy(plan.hosts,
             {.program = around.program, .remote_dir = run.remote_dir, .id = plan.id, .ssh = ssh});
  std::vector<Command> agents;
  for (const Host& host : plan.hosts) {
    agents.push_back(on_host(host, {"sh", "-c", kStartAgent, "sh", directory}, ssh));
    agents.back().listens = true;
  }
  Conversation conversation(around, run, plan);
  const PlanOutcome outcome =
      run_commands(agents, {.time = Seconds(std::numeric_limits<double>::infinity())},
                   {.line = [&](const OutputLine& line) { return conversation.hear(line); },
                    .poll = [&] { return conversation.poll(); },
                    .letters = [&] { return conversation.letters(); }});
  return conversation.exit_code(outcome);
}

}  // namespace lockstep
