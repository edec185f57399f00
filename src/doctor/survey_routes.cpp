#include "doctor/survey_routes.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/random_token.h"
#include "base/text.h"
#include "base/version.h"
#include "launch/deploy.h"
#include "launch/slurm.h"
#include "launch/ssh_plan.h"
#include "measure/host.h"

namespace lockstep {
namespace {

constexpr int64_t kMostNodes = 1 << 20;

std::vector<Host> hosts_of(const RunConfig& run) {
  std::vector<Host> hosts = read_hosts(run.hosts);
  const size_t wanted = run.nodes ? static_cast<size_t>(*run.nodes) : hosts.size();
  if (wanted > hosts.size()) {
    throw UsageError("--nodes {}: --hosts lists only {}", wanted, hosts.size());
  }
  hosts.resize(wanted);
  return hosts;
}

constexpr const char* kDeployAdvice =
    "ssh works, but the program cannot be copied there: try another --remote-dir";

// Removes hosts where deployment fails from `hosts` and returns a report for each.
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

// An agent that ssh started is in the remote directory.
SurveyOptions options_of(const SurveyRequest& request) {
  return {.directory = ".",
          .frameworks = request.frameworks,
          .wants_gpus = request.run.device != "cpu",
          .thorough = request.thorough};
}

HostSurvey survey_by_ssh(const Context& context, const SurveyRequest& request) {
  const RunConfig& run = request.run;
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
  HostSurvey all = survey_hosts(route, options_of(request), job.token);
  for (size_t host = 0; host < hosts.size(); ++host) {
    const bool said = request.workers_given || !hosts[host].slots;
    all.hosts[host].workers = said ? run.num_devices : *hosts[host].slots;
  }
  all.hosts.insert(all.hosts.end(), failed.begin(), failed.end());
  return all;
}

HostSurvey with_workers(HostSurvey all, int workers) {
  for (HostReport& host : all.hosts) host.workers = workers;
  return all;
}

HostSurvey survey_by_slurm(const Context& context, const SurveyRequest& request) {
  const RunConfig& run = request.run;
  const auto allocated = context.environment("SLURM_JOB_NUM_NODES");
  const std::string nodes = run.nodes ? fmt::to_string(*run.nodes) : allocated.value_or("1");
  const int64_t count = whole_number(nodes).value_or(0);
  if (count < 1 || count > kMostNodes) {
    throw Error("SLURM_JOB_NUM_NODES must be a number of nodes, not '{}'", nodes);
  }
  const Command command = {
      .name = "srun",
      .argv = {"srun", "--label", "--overcommit", "--nodes=" + nodes, "--ntasks-per-node=1",
               "--cpu-bind=none", "--mpi=none", context.program, "agent"},
      .env = srun_environment()};
  ProbeRoute route = {.names = {}, .commands = {command}, .tag = LineTag::Slurm};
  for (int64_t node = 0; node < count; ++node) {
    route.names.push_back(fmt::format("node {}", node));
  }
  return with_workers(survey_hosts(route, options_of(request), random_token()), run.num_devices);
}

HostSurvey survey_this_machine(const Context& context, const SurveyRequest& request) {
  const std::string name = read_host().name;
  const ProbeRoute route = {.names = {name},
                            .commands = {{.name = name, .argv = {context.program, "agent"}}}};
  return with_workers(survey_hosts(route, options_of(request), random_token()),
                      request.run.num_devices);
}

}  // namespace

const SurveyRoute kLocalRoute = {survey_this_machine, ""};
const SurveyRoute kSshRoute = {survey_by_ssh, "try 'ssh HOST true' by hand"};
const SurveyRoute kSlurmRoute = {survey_by_slurm,
                                 "try 'srun --nodes=N hostname' by hand, and 'sinfo'"};

}  // namespace lockstep
