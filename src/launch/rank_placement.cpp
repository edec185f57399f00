#include "launch/rank_placement.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "process/ask.h"
#include "launch/launchers.h"
#include "measure/host.h"
#include "sync/strategies.h"

namespace lockstep {
namespace {

constexpr Seconds kForScontrol{30};

bool in_allocation(const Context& context) {
  return context.environment("SLURM_JOB_ID") && context.environment("SLURM_JOB_NODELIST");
}

std::vector<Host> allocated_nodes(const Context& context) {
  const std::string list = context.environment("SLURM_JOB_NODELIST").value_or("");
  const Answer answer = ask({"scontrol", "show", "hostnames", list}, kForScontrol);
  if (!answer.well) throw Error("the nodes of the allocation: {}", answer.complaint);
  if (answer.lines.empty()) throw Error("scontrol knows no hosts of '{}'", list);
  const auto tasks = whole_number(context.environment("SLURM_NTASKS_PER_NODE").value_or(""));
  std::vector<Host> hosts;
  for (const std::string& name : answer.lines) {
    hosts.push_back({name, name});
    if (tasks) hosts.back().slots = static_cast<int>(*tasks);
  }
  return hosts;
}

PlacementWish wish_of(const RunConfig& run, PerHost per_host) {
  const bool served = find_strategy(run.variable_update).needs_servers;
  const bool processes = served && !run.ps_in_worker;
  PlacementWish wish = {.nodes = run.nodes,
                        .workers_per_node = {},
                        .workers = run.num_workers,
                        .servers = processes ? run.num_ps.value_or(1) : 0,
                        .servers_per_node = run.ps_per_node};
  if (per_host == PerHost::AsSaid || run.num_devices > 1) wish.workers_per_node = run.num_devices;
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

// Every process has its host named.
RunPlaces named_places(const RunConfig& run) {
  const bool served = find_strategy(run.variable_update).needs_servers;
  if (served && run.ps_hosts.empty() && !run.ps_in_worker) {
    throw UsageError(
        "--worker-hosts names workers only, and --variable-update {} needs servers: give "
        "--ps-hosts or --ps-in-worker",
        run.variable_update);
  }
  ListedPlaces listed = listed_places(run.worker_hosts, run.ps_hosts);
  return {.hosts = std::move(listed.hosts),
          .ranks = std::move(listed.ranks),
          .store_port = listed.first_port};
}

}  // namespace

bool wants_launcher(const RunConfig& run, bool alone) {
  if (!alone || !run.job_name.empty()) return false;
  const PlacementWish wish = wish_of(run, PerHost::AsSlots);
  return run.launcher != "auto" || !run.hosts.empty() || !run.worker_hosts.empty() || run.nodes ||
         !run.sbatch_option.empty() || run.num_devices > 1 || run.num_workers.value_or(1) > 1 ||
         wish.servers > 0 || run.dry_run;
}

RunPlaces places_for(const RunConfig& run, PerHost per_host, const Context& context) {
  const bool allocated = in_allocation(context);
  const Launcher& launcher = launcher_for(run, allocated);
  RunPlaces places;
  if (!run.worker_hosts.empty()) {
    places = named_places(run);
  } else if (!run.hosts.empty()) {
    places.hosts = read_hosts(run.hosts);
  } else if (launcher.name == "slurm") {
    places.submitted = !allocated;
    places.hosts = allocated ? allocated_nodes(context) : nodes_to_come(wish_of(run, per_host));
  } else {
    const std::string name = launcher.name == "mpirun" ? "localhost" : read_host().name;
    places.hosts = {{name, name, run.num_workers}};
  }
  if (places.ranks.empty()) places.ranks = place_ranks(places.hosts, wish_of(run, per_host));
  places.per_host = per_host;
  places.in_allocation = allocated;
  return places;
}

}  // namespace lockstep
