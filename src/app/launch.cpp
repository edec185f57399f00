#include "app/launch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <ostream>

#include "app/doctor.h"
#include "app/remote_files.h"
#include "app/talk.h"
#include "base/error.h"
#include "base/text.h"
#include "comm/store_server.h"
#include "config/run_options.h"
#include "launch/deploy.h"
#include "launch/launchers.h"
#include "launch/mpirun.h"
#include "launch/slurm.h"
#include "measure/host.h"
#include "sync/strategies.h"

namespace lockstep {
namespace {

constexpr Seconds kLongSteps{300};  // an interrupted run ends with the step that it is in
constexpr Seconds kForAnswers{30};  // of scontrol, of mpirun --version

bool in_allocation(const Surroundings& around) {
  return around.environment("SLURM_JOB_ID") && around.environment("SLURM_JOB_NODELIST");
}

std::vector<std::string> lines_of(const std::vector<std::string>& argv) {
  std::vector<std::string> lines;
  const Command command = {.name = argv.front(), .argv = argv};
  const PlanOutcome outcome = run_commands(std::span(&command, 1), {.time = kForAnswers},
                                           {.line = [&](const OutputLine& line) {
                                             lines.push_back(line.text);
                                             return Next::GoOn;
                                           }});
  if (outcome.end != RunEnd::Completed) {
    throw Error("{}{}{}", outcome.why, lines.empty() ? "" : ": ",
                lines.empty() ? "" : lines.back());
  }
  return lines;
}

std::vector<Host> allocated_nodes(const Surroundings& around) {
  const std::string list = around.environment("SLURM_JOB_NODELIST").value_or("");
  std::vector<Host> hosts;
  for (const std::string& name : lines_of({"scontrol", "show", "hostnames", list})) {
    hosts.push_back({name, name});
  }
  if (hosts.empty()) throw Error("scontrol knows no hosts of '{}'", list);
  const auto tasks = whole_number(around.environment("SLURM_NTASKS_PER_NODE").value_or(""));
  for (Host& host : hosts) {
    if (tasks) host.slots = static_cast<int>(*tasks);
  }
  return hosts;
}

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

// As many nodes as the wish comes to; which ones, Slurm decides.
std::vector<Host> nodes_to_come(const PlacementWish& wish) {
  const int each = wish.workers_per_node.value_or(1);
  const int for_workers = wish.nodes.value_or((wish.workers.value_or(1) + each - 1) / each);
  const int of_servers = wish.servers_per_node.value_or(0);
  const int for_servers = of_servers > 0 ? (wish.servers + of_servers - 1) / of_servers : 0;
  std::vector<Host> hosts;
  for (int node = 1; node <= for_workers + for_servers; ++node) {
    const std::string name = fmt::format("node {} of the job", node);
    hosts.push_back({name, name});
  }
  return hosts;
}

// The same run, as its processes see it: started already.
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
  const bool counted = launcher.name == "mpirun" || launcher.name == "slurm";
  if (counted) there.num_devices = 1;  // there are as many workers as processes
  return launcher.name == "ssh" ? RemoteFiles::remote(there) : there;
}

// The same run, for a launcher inside the job.
RunConfig for_batch(const RunConfig& run) {
  RunConfig inside = run;
  inside.launcher = "slurm";
  inside.sbatch_option = {};
  inside.dry_run = false;
  return inside;
}

LaunchJob job_of(const Surroundings& around, const LaunchRequest& request, const RunPlaces& places,
                 const Launcher& launcher) {
  const RunConfig& run = request.run;
  const std::filesystem::path output =
      std::filesystem::absolute(run.log_dir.empty() ? "." : run.log_dir) / "lockstep";
  LaunchJob job = {.program = around.program,
                   .version = program_version(),
                   .command = request.command,
                   .arguments = request.arguments(places.submitted ? for_batch(run)
                                                                   : for_processes(run, launcher)),
                   .hosts = places.hosts,
                   .ranks = places.ranks,
                   .rank_variable = kRankVariable,
                   .id = random_token(),
                   .token = random_token(),
                   .logs = !run.log_dir.empty(),
                   .interface = run.interface,
                   .store_port = places.store_port,
                   .remote_dir = without_home(run.remote_dir),
                   .ssh = {.more = run.ssh_option},
                   .mpirun_options = run.mpirun_option,
                   .sbatch_options = run.sbatch_option,
                   .as_root = geteuid() == 0,
                   .in_allocation = places.in_allocation,
                   .uses_mpi = run.communicator.ends_with("mpi"),
                   .output = output.lexically_normal().string()};
  if (launcher.needs_version) {
    for (const std::string& line : lines_of({"mpirun", "--version"})) {
      job.mpirun_version += line + "\n";
    }
  }
  return job;
}

LaunchPlan plan_of(const LaunchJob& job, const RunPlaces& places, const Launcher& launcher) {
  if (!places.submitted) return launcher.plan(job);
  BatchWish wish = {.nodes = static_cast<int>(job.hosts.size())};
  for (size_t host = 0; host < job.hosts.size(); ++host) {
    const auto here = std::ranges::count(job.ranks, host, &PlacedRank::host);
    wish.tasks_per_node = std::max(wish.tasks_per_node, static_cast<int>(here));
  }
  LaunchPlan plan = plan_sbatch(job, wish);
  plan.processes = processes_of(job, job.program);
  return plan;
}

std::unique_ptr<Talk> talk_for(Surroundings& around, const LaunchPlan& plan, const RunConfig& run) {
  if (!plan.agents.empty()) return talk_with_agents(around, plan, run);
  if (!plan.batch_script.empty()) return talk_with_batch(around, plan);
  return talk_with_processes(around, plan, run);
}

int run_plan(Surroundings& around, const LaunchPlan& plan, const LaunchJob& job,
             const RunConfig& run) {
  if (!plan.hosts.empty()) {
    deploy(plan.hosts,
           {.program = around.program, .remote_dir = job.remote_dir, .id = job.id, .ssh = job.ssh});
    look_at_hosts(around, plan, job);
  }
  const std::unique_ptr<Talk> talk = talk_for(around, plan, run);
  const bool own_logs = plan.tag == LineTag::None && plan.agents.empty();
  const PlanOutcome outcome = run_commands(
      plan.commands,
      {.time = Seconds(std::numeric_limits<double>::infinity()), .interrupted_grace = kLongSteps},
      {.line = [&](const OutputLine& line) { return talk->hear(line); },
       .poll = [&] { return talk->poll(); },
       .letters = [&] { return talk->letters(); },
       .log_directory = own_logs && plan.batch_script.empty() ? run.log_dir : ""});
  return talk->exit_code(outcome);
}

}  // namespace

bool wants_launcher(const RunConfig& run, bool alone) {
  if (!alone || !run.job_name.empty()) return false;
  const PlacementWish wish = wish_of(run);
  return run.launcher != "auto" || !run.hosts.empty() || !run.worker_hosts.empty() || run.nodes ||
         !run.sbatch_option.empty() || run.num_devices > 1 || run.num_workers.value_or(1) > 1 ||
         wish.servers > 0 || run.dry_run;
}

RunPlaces places_for(const RunConfig& run, const Surroundings& around) {
  const Launcher& launcher = launcher_for(run, in_allocation(around));
  RunPlaces places = {.in_allocation = in_allocation(around)};
  if (!run.worker_hosts.empty()) {
    ListedPlaces listed = listed_places(run.worker_hosts, run.ps_hosts);
    places.hosts = std::move(listed.hosts);
    places.ranks = std::move(listed.ranks);
    places.store_port = listed.first_port;
    return places;
  }
  const PlacementWish wish = wish_of(run);
  if (!run.hosts.empty()) {
    places.hosts = read_hosts(run.hosts);
  } else if (launcher.name == "slurm") {
    places.submitted = !places.in_allocation;
    places.hosts = places.submitted ? nodes_to_come(wish) : allocated_nodes(around);
  } else {
    const std::string name = launcher.name == "mpirun" ? "localhost" : read_host().name;
    places.hosts = {{name, name, run.num_workers}};
  }
  places.ranks = place_ranks(places.hosts, wish);
  return places;
}

int launch(Surroundings& around, const LaunchRequest& request, const RunPlaces& places) {
  const RunConfig& run = request.run;
  const Launcher& launcher = launcher_for(run, places.in_allocation);
  LaunchJob job = job_of(around, request, places, launcher);
  std::optional<StoreServer> store;
  if (launcher.keeps_store(job) && !run.dry_run) {
    const bool for_all = !run.hosts.empty();
    store.emplace(StoreServerOptions{
        .endpoint = {for_all ? "" : "127.0.0.1", 0}, .token = job.token, .keeper = "the launcher"});
    job.environment[kStoreVariable] =
        fmt::format("{}:{}", for_all ? read_host().name : "127.0.0.1", store->port());
    job.environment[kSizeVariable] = fmt::to_string(job.ranks.size());
  }
  if (launcher.name != "ssh") job.environment[kTokenVariable] = job.token;
  const LaunchPlan plan = plan_of(job, places, launcher);
  if (run.dry_run) {
    around.out << describe(plan);
    return kSuccess;
  }
  return run_plan(around, plan, job, run);
}

}  // namespace lockstep
