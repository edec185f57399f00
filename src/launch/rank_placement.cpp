#include "launch/rank_placement.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/error.h"
#include "base/text.h"
#include "launch/launchers.h"
#include "measure/host.h"
#include "process/ask.h"
#include "sync/strategies.h"

namespace lockstep {
namespace {

constexpr Seconds kForScontrol{30};

bool in_allocation(const Context& context) {
  return context.environment("SLURM_JOB_ID") && context.environment("SLURM_JOB_NODELIST");
}

std::vector<Host> allocated_nodes(const Context& context) {
  const std::string list = context.environment("SLURM_JOB_NODELIST").value_or("");
  const CommandAnswer answer = ask({"scontrol", "show", "hostnames", list}, kForScontrol);
  if (!answer.well) throw Error("cannot list the nodes of the allocation: {}", answer.complaint);
  if (answer.lines.empty()) throw Error("scontrol lists no hosts for '{}'", list);
  const auto tasks = whole_number(context.environment("SLURM_NTASKS_PER_NODE").value_or(""));
  std::vector<Host> hosts;
  for (const std::string& name : answer.lines) {
    hosts.push_back({name, name});
    if (tasks) hosts.back().slots = static_cast<int>(*tasks);
  }
  return hosts;
}

PlacementRequest request_for(const RunConfig& run, PerHost per_host) {
  const bool served = find_strategy(run.variable_update).needs_servers;
  const bool processes = served && !run.ps_in_worker;
  PlacementRequest request = {.nodes = run.nodes,
                              .workers_per_node = {},
                              .workers = run.num_workers,
                              .servers = processes ? run.num_ps.value_or(1) : 0,
                              .servers_per_node = run.ps_per_node};
  if (per_host == PerHost::AsGiven || run.num_devices > 1)
    request.workers_per_node = run.num_devices;
  return request;
}

// As many nodes as the request needs; Slurm will choose them.
std::vector<Host> nodes_to_come(const PlacementRequest& request) {
  const int each = request.workers_per_node.value_or(1);
  const int for_workers = request.nodes.value_or((request.workers.value_or(1) + each - 1) / each);
  const int of_servers = request.servers_per_node.value_or(0);
  const int for_servers = of_servers > 0 ? (request.servers + of_servers - 1) / of_servers : 0;
  std::vector<Host> hosts;
  for (int node = 1; node <= for_workers + for_servers; ++node) {
    const std::string name = fmt::format("node {} of the job", node);
    hosts.push_back({name, name});
  }
  return hosts;
}

// A host is given for every process.
RankPlacement named_ranks(const RunConfig& run) {
  const bool served = find_strategy(run.variable_update).needs_servers;
  if (served && run.ps_hosts.empty() && !run.ps_in_worker) {
    throw UsageError(
        "--worker-hosts: --variable-update {} also needs parameter servers; add --ps-hosts or "
        "--ps-in-worker",
        run.variable_update);
  }
  ListedRanks listed = listed_ranks(run.worker_hosts, run.ps_hosts);
  return {.hosts = std::move(listed.hosts),
          .ranks = std::move(listed.ranks),
          .store_port = listed.first_port};
}

// A name alone that is meant as a file would pass for one host.
void refuse_missing_file(const RunConfig& run) {
  if (std::filesystem::exists(run.hosts)) return;
  throw UsageError("--hosts {}: there is no such file, and as a list it is only one host, not {}",
                   run.hosts, *run.nodes);
}

}  // namespace

bool wants_launcher(const RunConfig& run, bool alone) {
  if (!alone || !run.job_name.empty()) return false;
  const PlacementRequest request = request_for(run, PerHost::AsSlots);
  return run.launcher != "auto" || !run.hosts.empty() || !run.worker_hosts.empty() || run.nodes ||
         !run.sbatch_option.empty() || run.num_devices > 1 || run.num_workers.value_or(1) > 1 ||
         request.servers > 0 || run.dry_run;
}

RankPlacement place_run(const RunConfig& run, PerHost per_host, const Context& context) {
  const bool allocated = in_allocation(context);
  const Launcher& launcher = launcher_for(run, allocated);
  RankPlacement placement;
  if (!run.worker_hosts.empty()) {
    placement = named_ranks(run);
  } else if (!run.hosts.empty()) {
    placement.hosts = read_hosts(run.hosts);
    if (placement.hosts.size() == 1 && run.nodes.value_or(1) > 1) refuse_missing_file(run);
  } else if (launcher.default_hosts == DefaultHosts::Allocation) {
    placement.submitted = !allocated;
    placement.hosts =
        allocated ? allocated_nodes(context) : nodes_to_come(request_for(run, per_host));
  } else {
    const bool here = launcher.default_hosts == DefaultHosts::ThisMachine;
    const std::string name = here ? read_host().name : "localhost";
    placement.hosts = {{name, name, run.num_workers}};
  }
  if (placement.ranks.empty())
    placement.ranks = place_ranks(placement.hosts, request_for(run, per_host));
  placement.per_host = per_host;
  placement.in_allocation = allocated;
  return placement;
}

}  // namespace lockstep
