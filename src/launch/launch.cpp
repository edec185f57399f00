#include "launch/launch.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <ostream>

#include "base/bundle.h"
#include "base/error.h"
#include "base/exit_code.h"
#include "base/interrupt.h"
#include "base/network_interface.h"
#include "base/random_token.h"
#include "base/run_event.h"
#include "base/text.h"
#include "base/version.h"
#include "comm/store_server.h"
#include "config/run_options.h"
#include "launch/deploy.h"
#include "launch/launchers.h"
#include "launch/open_mpi_segments.h"
#include "launch/output_relay.h"
#include "launch/rank_variables.h"
#include "launch/remote_files.h"
#include "launch/run_logs.h"
#include "launch/run_monitor.h"
#include "measure/cores.h"
#include "measure/host.h"
#include "process/ask.h"
#include "process/guard.h"

namespace lockstep {
namespace {

constexpr Seconds kForVersion{30};
constexpr int kManyPerCore = 8;
constexpr Seconds kMoreThanRanks{5};  // which name a stopped one first

// The configuration for the processes of the run, without the launcher options.
RunConfig for_processes(const RunConfig& run, const Launcher& launcher) {
  static const RunConfig kDefaults;
  RunConfig there = run;
  for (const RunOption& option : run_options()) {
    if (!option.details.launches) continue;
    std::visit([&](auto member) { there.*member = kDefaults.*member; }, option.member);
  }
  if (!run.ps_hosts.empty()) there.num_ps = static_cast<int>(split(run.ps_hosts, ',').size());
  there.worker_hosts = there.ps_hosts = "";
  there.log_dir = "";  // the launcher keeps the logs
  if (launcher.counts_workers) there.num_devices = 1;
  return launcher.uses_agents ? RemoteFiles::remote(there) : there;
}

// The command line of the launcher inside a job.
std::vector<std::string> batch_arguments(const LaunchRequest& request, const RunConfig& run,
                                         PerHost per_host) {
  RunConfig inside = run;
  inside.launcher = "slurm";
  inside.sbatch_option = {};
  inside.dry_run = false;
  if (!run.log_dir.empty()) inside.log_dir = std::filesystem::absolute(run.log_dir).string();
  std::vector<std::string> arguments = request.arguments(inside);
  // Also if it is the default: the job's slots may differ.
  if (per_host == PerHost::AsGiven && run.num_devices == 1) {
    arguments.emplace_back("--num-devices=1");
  }
  return arguments;
}

// The network that this machine and all hosts of the run are in; empty: there is none.
std::string network_with_all(const RankPlacement& placement) {
  std::string network;
  for (const PlacedRank& rank : placement.ranks) {
    const Host& host = placement.hosts[rank.host];
    std::string found = network_with_host(host.name);
    if (found.empty()) {  // only ssh may know the name
      found = network_with_host(host.ssh_target.substr(host.ssh_target.find('@') + 1));
    }
    if (found.empty() || (!network.empty() && found != network)) return "";
    network = found;
  }
  return network;
}

std::vector<std::string> cores_of_workers(const RankPlacement& placement) {
  const auto workers = std::ranges::count(placement.ranks, false, &PlacedRank::server);
  std::vector<std::string> cores;
  for (const CoreSet& part : split_cores(allowed_cores(), static_cast<int>(workers))) {
    cores.push_back(core_text(part));
  }
  return cores;
}

// Open MPI refuses its networks to be given twice, or included and excluded.
bool chooses_networks(const Context& context, const RunConfig& run) {
  const auto names_them = [](const std::string& word) {
    return word.find("tcp_if_") != std::string::npos;
  };
  return std::ranges::any_of(run.mpirun_option, names_them) ||
         context.environment("OMPI_MCA_btl_tcp_if_include") ||
         context.environment("OMPI_MCA_btl_tcp_if_exclude");
}

LaunchJob job_of(const Context& context, const LaunchRequest& request, const RunConfig& run,
                 const RankPlacement& placement, const Launcher& launcher) {
  const std::filesystem::path output =
      std::filesystem::absolute(run.log_dir.empty() ? "." : run.log_dir) / "lockstep";
  LaunchJob job = {
      .program = context.program,
      .version = program_version(),
      .command = request.command,
      .arguments = request.arguments(for_processes(run, launcher)),
      .hosts = placement.hosts,
      .ranks = placement.ranks,
      .rank_variable = kRankVariable,
      .cores = launcher.here ? cores_of_workers(placement) : std::vector<std::string>{},
      .id = random_token(),
      .token = random_token(),
      .interface = run.interface,
      .store_port = placement.store_port,
      .remote_dir = without_home(run.remote_dir),
      .ssh = {.more = run.ssh_option},
      .mpirun_options = run.mpirun_option,
      .sbatch_options = run.sbatch_option,
      .as_root = geteuid() == 0,
      .uses_mpi = run.communicator.ends_with("mpi"),
      .output = output.lexically_normal().string()};
  if (placement.submitted) job.batch_arguments = batch_arguments(request, run, placement.per_host);
  if (launcher.needs_version) {
    const CommandAnswer answer = ask({"mpirun", "--version"}, kForVersion);
    if (!answer.well) throw Error("mpirun --version: {}", answer.complaint);
    for (const std::string& line : answer.lines) job.mpirun_version += line + "\n";
    if (!chooses_networks(context, run)) job.hosts_network = network_with_all(placement);
  }
  return job;
}

// Sets the address of the store if the launcher or an agent runs it.
void tell_of_store(LaunchJob& job, const std::string& host, int port) {
  job.environment[kStoreVariable] =
      fmt::format("{}:{}", host, port > 0 ? fmt::to_string(port) : "PORT");
  job.environment[kSizeVariable] = fmt::to_string(job.ranks.size());
}

std::unique_ptr<RunMonitor> monitor_for(Context& context, const LaunchPlan& plan,
                                        const RunConfig& run) {
  if (!plan.agents.empty()) return monitor_agents(context, plan, run);
  if (!plan.batch_script.empty()) return monitor_batch(context, plan);
  return monitor_processes(context, plan, run);
}

// Deploys the program to the hosts and checks that they are ready.
void prepare_hosts(Context& context, const LaunchPlan& plan, const LaunchJob& job,
                   const LaunchRequest& request) {
  const InterruptWatch interrupts;
  const auto interrupted = [&] { return interrupts.interrupted(); };
  try {
    deploy(plan.hosts, {.program = job.program,
                        .remote_dir = job.remote_dir,
                        .id = job.id,
                        .ssh = job.ssh,
                        .interrupted = interrupted});
  } catch (const HostError& error) {
    throw Error("{}", no_file_either(request.run.hosts, error.what()));
  }
  request.check_hosts(context, plan, job, interrupted);
  if (interrupted()) throw Interrupted();  // the monitor of the run would not know
}

bool was_killed(const CommandOutcome& command) {
  return command.status && command.status->by_signal;
}

int run_plan(Context& context, const LaunchPlan& plan, const RunConfig& run) {
  const auto begin = std::chrono::system_clock::now();
  const std::unique_ptr<RunMonitor> monitor = monitor_for(context, plan, run);
  const PlanOutcome outcome =
      run_commands(plan.commands,
                   {.time = Seconds(std::numeric_limits<double>::infinity()),
                    .stopped = Seconds(run.stall_timeout) + kMoreThanRanks,
                    .interrupted_grace = kLongSteps},
                   {.line = [&](const OutputLine& line) { return monitor->hear(line); },
                    .poll = [&] { return monitor->poll(); },
                    .messages = [&] { return monitor->messages(); },
                    .takes_lines = output_is_read});
  if (plan.tag == LineTag::OpenMpi && was_killed(outcome.commands.front())) {
    remove_unused_segments({.newer_than = begin});
  }
  return monitor->exit_code(outcome);
}

// A slip of the finger should not start thousands of processes without a word.
void check_processes_here(Context& context, const RankPlacement& placement) {
  const auto processes = static_cast<int>(placement.ranks.size());
  if (processes > Guard::kMostGroups) {
    throw UsageError("{} processes on this machine: use at most {}", processes, Guard::kMostGroups);
  }
  const auto cores = static_cast<int>(allowed_cores().size());
  if (processes > kManyPerCore * cores) {
    context.err << fmt::format("warning: {} processes on {}; results will be far too slow\n",
                               processes, count_text(cores, "core"))
                << std::flush;
  }
}

// Each host and each log needs at least one descriptor, and the usual limit is 1024.
void allow_many_files() {
  rlimit files = {};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

int show_plan(Context& context, const LaunchRequest& request, const RankPlacement& placement,
              const Launcher& launcher) {
  RunConfig run = request.run;
  if (run.log_dir.empty() && placement.submitted) run.log_dir = own_log_directory(request.name);
  LaunchJob job = job_of(context, request, run, placement, launcher);
  job.environment[kTokenVariable] = job.token;
  if (launcher.uses_agents) {
    tell_of_store(job, job.hosts[job.ranks.front().host].name, job.store_port);
  } else if (launcher.keeps_store(job)) {
    tell_of_store(job, run.hosts.empty() ? "127.0.0.1" : read_host().name, 0);
  }
  context.out << describe(launcher.plan(job), kTokenVariable);
  return kSuccess;
}

}  // namespace

int launch(Context& context, const LaunchRequest& request, const RankPlacement& placement) {
  const Launcher& launcher = launcher_for(request.run, placement.in_allocation);
  // Checked here: processes on one machine may not use the interface and would not notice.
  if (launcher.here && !request.run.interface.empty()) address_of_interface(request.run.interface);
  if (request.run.dry_run) return show_plan(context, request, placement, launcher);
  if (launcher.here) check_processes_here(context, placement);
  allow_many_files();
  RunConfig run = request.run;
  RunLogs logs({.directory = run.log_dir, .name = request.name, .only_failed = launcher.here},
               context.err);
  run.log_dir = logs.directory();
  LaunchJob job = job_of(context, request, run, placement, launcher);
  std::optional<StoreServer> store;
  if (launcher.keeps_store(job)) {
    const bool for_all = !run.hosts.empty();
    store.emplace(StoreServerOptions{
        .endpoint = {for_all ? "" : "127.0.0.1", 0}, .token = job.token, .keeper = "the launcher"});
    tell_of_store(job, for_all ? read_host().name : "127.0.0.1", store->port());
  }
  if (!launcher.uses_agents) job.environment[kTokenVariable] = job.token;  // agents pass it on
  job.environment[kEventsVariable] = "1";
  job.environment[kCommandLineVariable] = context.provenance.command_line;
  job.environment[kWorkingDirectoryVariable] = context.provenance.working_directory;
  if (!context.provenance.started_by.empty())
    job.environment[kStartedByVariable] = context.provenance.started_by;
  if (!context.provenance.settings.empty())
    job.environment[kSettingsVariable] = context.provenance.settings;
  job.environment[kDefaultsVariable] = kNoDefaults;
  if (const auto torch = context.environment(kTorchVariable)) {
    job.environment[kTorchVariable] = *torch;
  }
  try {
    const LaunchPlan plan = launcher.plan(job);
    if (!plan.hosts.empty()) prepare_hosts(context, plan, job, request);
    const LastWords where_logs_are(logs.line());
    const int code = run_plan(context, plan, run);
    logs.finish(code == kSuccess);
    return code;
  } catch (const Interrupted&) {
    context.err << "lockstep: interrupted before the run started; nothing is left on the hosts\n";
    return kInterrupted;
  } catch (const Error&) {  // only adds the path of the logs
    logs.finish(/*went_well=*/false);
    throw;
  }
}

}  // namespace lockstep
