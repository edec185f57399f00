// check_hosts.cpp: `lockstep doctor`: whether hosts are fit for a run, and what to do about those that
// are not.
#include "doctor/check_hosts.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>

#include "doctor/host_checks.h"
#include "base/interrupt.h"
#include "app/options.h"
#include "base/error.h"
#include "comm/store_server.h"
#include "config/run_config.h"
#include "launch/deploy.h"
#include "launch/slurm.h"
#include "launch/ssh_plan.h"
#include "measure/host.h"

namespace lockstep {
namespace {

struct DoctorWishes {
  RunConfig run;  // hosts, and how they are reached
  bool slurm = false, json = false;
  bool workers_said = false;  // else a list may name slots
};

CommandSyntax syntax_for(DoctorWishes& wishes) {
  const auto truth = [](bool& value) {
    return [&value](const std::string& text) { value = text == "true"; };
  };
  CommandSyntax syntax = {
      .command = "doctor",
      .summary = "Looks whether hosts are fit for a run, and says what to do about it.",
      .flags = {{.name = "slurm",
                 .value_name = "",
                 .help = "the nodes of this allocation, or of one that srun asks for",
                 .set = truth(wishes.slurm)},
                {.name = "json",
                 .value_name = "",
                 .help = "all findings and answers as JSON",
                 .set = truth(wishes.json)}}};
  constexpr std::string_view kTaken[] = {"hosts", "nodes", "num-devices", "remote-dir",
                                         "ssh-option"};
  for (Flag& flag : run_flags(wishes.run)) {
    if (std::ranges::find(kTaken, flag.name) == std::end(kTaken)) continue;
    flag.group = "Options";
    if (flag.name == "num-devices") flag.help = "workers that each host shall have, or its slots";
    if (flag.name == "hosts") flag.help = "file or list, as of train; by default this machine";
    if (flag.name == "nodes") flag.help = "only the first so many hosts; of Slurm, so many nodes";
    syntax.flags.push_back(std::move(flag));
  }
  note_given(syntax.flags, "num-devices", wishes.workers_said);
  return syntax;
}

std::vector<Host> hosts_of(const RunConfig& run) {
  std::vector<Host> hosts = read_hosts(run.hosts);
  const size_t wanted = run.nodes ? static_cast<size_t>(*run.nodes) : hosts.size();
  if (wanted > hosts.size()) {
    throw UsageError("--nodes {}: --hosts names {}", wanted, hosts.size());
  }
  hosts.resize(wanted);
  return hosts;
}

constexpr const char* kDeployAdvice =
    "ssh works, but the program cannot be brought there: try another --remote-dir";

// Hosts that the program cannot be brought to are left out, and said to be so.
std::vector<HostReport> deploy_where_possible(std::vector<Host>& hosts, const LaunchJob& job,
                                              const RunConfig& run) {
  const InterruptWatch interrupts;
  const Deployment deployment = {.program = job.program,
                                 .remote_dir = job.remote_dir,
                                 .id = job.id,
                                 .ssh = job.ssh,
                                 .interrupted = [&] { return interrupts.interrupted(); }};
  std::vector<HostReport> failed;
  while (!hosts.empty()) {
    try {
      deploy(hosts, deployment);
      return failed;
    } catch (const HostError& error) {
      for (const auto& [name, why, reached] : error.failures) {
        failed.push_back({.name = name,
                          .unreachable = no_file_either(run.hosts, why),
                          .advice = reached ? kDeployAdvice : ""});
        std::erase_if(hosts, [&](const Host& host) { return host.name == name; });
      }
    }
  }
  return failed;
}

Examined examine_by_ssh(const Context& context, const DoctorWishes& wishes) {
  const RunConfig& run = wishes.run;
  std::vector<Host> hosts = hosts_of(run);
  LaunchJob job = {.program = context.program,
                   .version = program_version(),
                   .command = "train",
                   .arguments = {},
                   .hosts = {},
                   .ranks = {},
                   .id = random_token(),
                   .token = random_token(),
                   .remote_dir = without_home(run.remote_dir),
                   .ssh = {.more = run.ssh_option}};
  const std::vector<HostReport> failed = deploy_where_possible(hosts, job, run);
  job.hosts = hosts;
  ProbeRoute route;
  for (size_t host = 0; host < hosts.size(); ++host) {
    job.ranks.push_back({.rank = static_cast<int>(host), .server = false, .host = host});
    route.names.push_back(hosts[host].name);
  }
  if (!hosts.empty()) route.commands = plan_ssh(job).commands;
  Examined all = examine(route, {.directory = job.remote_dir}, job.token);
  for (size_t host = 0; host < hosts.size(); ++host) {
    const bool said = wishes.workers_said || !hosts[host].slots;
    all.hosts[host].workers = said ? run.num_devices : *hosts[host].slots;
  }
  all.hosts.insert(all.hosts.end(), failed.begin(), failed.end());
  return all;
}

Examined with_workers(Examined all, int workers) {
  for (HostReport& host : all.hosts) host.workers = workers;
  return all;
}

Examined examine_by_slurm(const Context& context, const DoctorWishes& wishes) {
  const RunConfig& run = wishes.run;
  const auto allocated = context.environment("SLURM_JOB_NUM_NODES");
  const std::string nodes = run.nodes ? fmt::to_string(*run.nodes) : allocated.value_or("1");
  const Command command = {
      .name = "srun",
      .argv = {"srun", "--label", "--overcommit", "--nodes=" + nodes, "--ntasks-per-node=1",
               "--cpu-bind=none", "--mpi=none", context.program, "agent"},
      .env = srun_environment()};
  ProbeRoute route = {.names = {}, .commands = {command}, .tag = LineTag::Slurm};
  for (int node = 0; node < std::stoi(nodes); ++node) {
    route.names.push_back(fmt::format("node {}", node));
  }
  return with_workers(examine(route, {.directory = "."}, random_token()), run.num_devices);
}

Examined examine_this_machine(const Context& context, const DoctorWishes& wishes) {
  const std::string name = read_host().name;
  const ProbeRoute route = {.names = {name},
                            .commands = {{.name = name, .argv = {context.program, "agent"}}}};
  return with_workers(examine(route, {.directory = "."}, random_token()), wishes.run.num_devices);
}

// How hosts are reached.
struct Way {
  Examined (*examine)(const Context& context, const DoctorWishes& wishes);
  const char* reach_advice;
};
constexpr Way kHere = {examine_this_machine, ""};
constexpr Way kBySsh = {examine_by_ssh, "try 'ssh HOST true' by hand"};
constexpr Way kBySlurm = {examine_by_slurm, "try 'srun --nodes=N hostname' by hand, and 'sinfo'"};

Json everything(const Examined& all, std::span<const Row> rows) {
  Json hosts = Json::array(), links = Json::array();
  for (const HostReport& host : all.hosts) {
    hosts.push_back(
        {{"name", host.name},
         {"unreachable", host.unreachable},
         {"facts", host.facts},
         {"compute", host.compute},
         {"programs", host.programs},
         {"clock_offset_seconds", host.clock_offset ? Json(*host.clock_offset) : Json()}});
  }
  for (const LinkReport& link : all.links) {
    links.push_back({{"from", all.hosts[link.from].name},
                     {"to", all.hosts[link.to].name},
                     {"answer", link.answer}});
  }
  return {{"schema_version", 1},
          {"kind", "doctor"},
          {"verdict", name_of(worst_of(rows))},
          {"findings", rows_to_json(rows)},
          {"hosts", hosts},
          {"links", links}};
}

}  // namespace

int doctor_command(RunContext& context, std::span<const std::string> arguments) try {
  DoctorWishes wishes;
  const CommandSyntax syntax = syntax_for(wishes);
  if (parse(syntax, arguments) == Parsed::Help) {
    context.out << help_text(syntax);
    return kSuccess;
  }
  if (wishes.slurm && !wishes.run.hosts.empty()) {
    throw UsageError("--slurm chooses the hosts; it does not go with --hosts");
  }
  if (wishes.run.nodes && !wishes.slurm && wishes.run.hosts.empty()) {
    throw UsageError("--nodes is about hosts: give --hosts or --slurm");
  }
  const Way& way = wishes.slurm ? kBySlurm : wishes.run.hosts.empty() ? kHere : kBySsh;
  const Examined all = way.examine(context, wishes);
  const CheckContext checked = {.all = all,
                                .version = program_version(),
                                .program = directory_name(context.program),
                                .reach_advice = way.reach_advice};
  std::vector<Row> rows = rows_for(checked, /*thorough=*/true);
  for (Row& row : link_rows(all)) rows.push_back(std::move(row));
  context.out << (wishes.json ? everything(all, rows).dump(1) + "\n" : table_of(rows));
  return worst_of(rows) == Level::Problem ? kFailure : kSuccess;
} catch (const Interrupted&) {
  context.err << "lockstep: interrupted; nothing is left on the hosts\n";
  return kInterrupted;
}

void look_at_hosts(Context& context, const LaunchPlan& plan, const LaunchJob& job,
                   const std::function<bool()>& interrupted) {
  ProbeRoute route;
  for (size_t host = 0; host < plan.hosts.size(); ++host) {
    route.names.push_back(plan.hosts[host].name);
    route.commands.push_back(plan.commands[host]);
  }
  Examined all =
      examine(route, {.directory = job.remote_dir, .thorough = false, .interrupted = interrupted},
              job.token);
  for (size_t host = 0; host < plan.hosts.size(); ++host) {
    all.hosts[host].workers = static_cast<int>(plan.agents[host].ranks.size());
  }
  const CheckContext checked = {.all = all,
                                .version = job.version,
                                .program = directory_name(job.program),
                                .reach_advice = kBySsh.reach_advice};
  std::vector<Row> rows = rows_for(checked, /*thorough=*/false);
  std::erase_if(rows, [](const Row& row) { return row.finding.level == Level::Ok; });
  std::vector<std::string> problems;
  for (const Row& row : rows) {
    const std::string line = fmt::format("host {}: {}: {} ({})", fmt::join(row.hosts, ", "),
                                         row.check, row.finding.what, row.finding.advice);
    if (row.finding.level == Level::Problem) {
      problems.push_back(line);
    } else {
      context.err << "warning: " << line << "\n";
    }
  }
  if (!problems.empty()) throw Error("{}", fmt::join(problems, "\n"));
}

}  // namespace lockstep
