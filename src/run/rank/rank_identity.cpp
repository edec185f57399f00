#include "run/rank/rank_identity.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "comm/mpi.h"
#include "comm/mpi_interfaces.h"
#include "launch/place_ranks.h"
#include "run/rank/slurm_identity.h"
#include "sync/strategies.h"

namespace lockstep {
namespace {

constexpr int64_t kMostRanks = 1 << 24;

int number_in(const Environment& environment, const char* name) {
  const std::string text = environment(name).value_or("");
  const auto number = whole_number(text);
  if (!number || *number < 0 || *number > kMostRanks) {
    throw Error("{} must be a whole number, not '{}'", name, text);
  }
  return static_cast<int>(*number);
}

// Every process is started by hand, and the first worker runs the store.
std::optional<RankIdentity> identity_by_job_name(const RunConfig& run,
                                                 const Environment& environment) {
  if (run.job_name.empty()) return {};
  if (run.worker_hosts.empty()) {
    throw UsageError("--job-name requires --worker-hosts");
  }
  const std::vector<PlacedRank> ranks = listed_ranks(run.worker_hosts, run.ps_hosts).ranks;
  const int size = static_cast<int>(ranks.size());
  const int servers = static_cast<int>(std::ranges::count(ranks, true, &PlacedRank::server));
  const bool server = run.job_name == "ps";
  const int among = server ? servers : size - servers;
  if (run.task_index >= among) {
    throw UsageError("--task-index {}: --{}-hosts lists only {}", run.task_index,
                     server ? "ps" : "worker", among);
  }
  // Without a secret in the environment, the lists keep runs apart, though not strangers out.
  return RankIdentity{.rendezvous = size == 1 ? Rendezvous::None : Rendezvous::OwnStore,
                      .rank = (server ? size - servers : 0) + run.task_index,
                      .size = size,
                      .store = parse_endpoint(split(run.worker_hosts, ',').front()),
                      .token = environment(kTokenVariable)
                                   .value_or(fmt::format("lockstep run of {} and {}",
                                                         run.worker_hosts, run.ps_hosts)),
                      .token_can_be_guessed = !environment(kTokenVariable)};
}

// A rank alone is what a shell kept, or what somebody set by hand.
void refuse_rank_alone(const Environment& environment) {
  for (const char* other : {kSizeVariable, kStoreVariable}) {
    if (!environment(kRankVariable) || environment(other)) continue;
    throw UsageError("{0} is set, {1} is not: lockstep sets both for its workers; unset {0}",
                     kRankVariable, other);
  }
}

std::optional<RankIdentity> identity_by_launcher(const RunConfig&, const Environment& environment) {
  refuse_rank_alone(environment);
  // mpirun tells the ranks itself: Open MPI's in the first of these, MPICH's in the second.
  const char* variable = kRankVariable;
  if (!environment(kRankVariable) && environment(kStoreVariable)) {
    variable = environment("OMPI_COMM_WORLD_RANK") ? "OMPI_COMM_WORLD_RANK" : "PMI_RANK";
  }
  if (!environment(variable)) return {};
  const int rank = number_in(environment, variable);
  const int size = number_in(environment, kSizeVariable);
  if (rank >= size) throw Error("{}={} must be below {}={}", variable, rank, kSizeVariable, size);
  return RankIdentity{.rendezvous = Rendezvous::Store,
                      .rank = rank,
                      .size = size,
                      .store = parse_endpoint(environment(kStoreVariable).value_or("")),
                      .token = environment(kTokenVariable).value_or("")};
}

std::vector<std::string> mpirun_addresses(const Environment& environment) {
  for (const char* chosen : {"OMPI_MCA_btl_tcp_if_include", "OMPI_MCA_btl_tcp_if_exclude"}) {
    if (environment(chosen)) return {};
  }
  return addresses_in_uri(environment("OMPI_MCA_orte_hnp_uri").value_or(""));
}

std::optional<RankIdentity> identity_by_mpirun(const RunConfig&, const Environment& environment) {
  if (!environment("OMPI_COMM_WORLD_SIZE")) return {};
  const int size = number_in(environment, "OMPI_COMM_WORLD_SIZE");
  return RankIdentity{.rendezvous = size == 1 ? Rendezvous::None : Rendezvous::Mpi,
                      .rank = number_in(environment, "OMPI_COMM_WORLD_RANK"),
                      .size = size,
                      .mpirun_addresses = mpirun_addresses(environment)};
}

// MPICH's and Intel's mpirun say how many processes there are, but our MPI cannot join them: each
// would train alone and count as a whole run.
std::optional<RankIdentity> refuse_other_mpirun(const RunConfig&, const Environment& environment) {
  const std::string size = environment("PMI_SIZE").value_or("1");
  if (size == "1") return {};
  throw UsageError(
      "these {} processes were started by the mpirun of MPICH or Intel MPI, whose ranks lockstep "
      "cannot join; use {}'lockstep train --launcher mpirun --num-devices {}', which starts them "
      "with it",
      size, has_mpi() ? fmt::format("the mpirun of {}, or ", mpi_library_version()) : "", size);
}

using FindIdentity = std::optional<RankIdentity> (*)(const RunConfig&, const Environment&);
constexpr FindIdentity kWays[] = {identity_by_job_name, identity_by_launcher, identity_by_mpirun,
                                  identity_by_slurm, refuse_other_mpirun};

int servers_of(const RunConfig& run) {
  if (!run.job_name.empty()) {
    return run.ps_hosts.empty() ? 0 : static_cast<int>(split(run.ps_hosts, ',').size());
  }
  const bool needed = find_strategy(run.variable_update).needs_servers;
  return run.num_ps.value_or(needed ? 1 : 0);
}

}  // namespace

RankIdentity find_identity(const RunConfig& run, const Environment& environment) {
  for (const FindIdentity find : kWays) {
    if (const auto identity = find(run, environment)) return *identity;
  }
  return {};
}

std::string name_of(const Roles& roles, int rank) {
  return roles.is_server(rank) ? fmt::format("parameter server {}", rank - roles.workers)
                               : fmt::format("worker {}", rank);
}

std::string token_warning(const RankIdentity& identity) {
  const bool due = identity.rank == 0 && identity.rendezvous == Rendezvous::OwnStore;
  if (!due || !identity.token_can_be_guessed) return "";
  return fmt::format(
      "warning: {} is not set: whoever can reach {} and knows how this run was started can join "
      "it; set it to the same secret for all processes\n",
      kTokenVariable, identity.store.text());
}

// Worker 0 runs the store, where all others meet.
std::string waiting_line(const RankIdentity& identity, const Roles& roles) {
  std::vector<std::string> others;
  if (identity.rank > 0) others = {name_of(roles, 0)};
  for (int rank = 1; identity.rank == 0 && rank < identity.size; ++rank) {
    others.push_back(name_of(roles, rank));
  }
  return fmt::format("Waiting for {} at {}", fmt::join(others, ", "), identity.store.text());
}

bool infer_strategy(RunConfig& run) {
  if (run.ps_hosts.empty() || run.variable_update != RunConfig{}.variable_update) return false;
  run.variable_update = "parameter_server";
  return true;
}

Roles roles_of(const RunConfig& run, const RankIdentity& identity) {
  const bool counted =
      identity.rendezvous == Rendezvous::Mpi || identity.rendezvous == Rendezvous::OwnStore;
  if (counted && run.num_devices != 1) {
    throw UsageError(
        "--num-devices {}: each of the {} started processes is a worker already; leave it out",
        run.num_devices, identity.size);
  }
  Roles roles = {
      .workers = run.num_devices, .servers = servers_of(run), .in_worker = run.ps_in_worker};
  const bool needs_servers = find_strategy(run.variable_update).needs_servers;
  if (!needs_servers) {
    if (!run.ps_hosts.empty()) {
      throw UsageError("--ps-hosts: --variable-update {} uses no parameter servers; leave it out",
                       run.variable_update);
    }
    roles.servers = 0;
  }
  if (identity.rendezvous != Rendezvous::None) {
    roles.workers = roles.in_worker ? identity.size : identity.size - roles.servers;
  }
  if (needs_servers && roles.servers < 1) {
    throw UsageError("--variable-update {} needs at least one parameter server; use {}",
                     run.variable_update, run.job_name.empty() ? "--num-ps" : "--ps-hosts");
  }
  if (roles.workers < 1) {
    throw UsageError(
        "{} processes with --num-ps {} leave no worker; start more, or use "
        "--ps-in-worker",
        identity.size, roles.servers);
  }
  if (roles.in_worker && roles.servers > roles.workers) {
    throw UsageError("--num-ps {} with --ps-in-worker: too few workers; use at most {}",
                     roles.servers, roles.workers);
  }
  return roles;
}

}  // namespace lockstep
