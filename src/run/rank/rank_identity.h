// rank_identity.h: infers which rank of which run this process is. First match wins: options, our
// own launcher, Open MPI, Slurm; else the process is alone and may become the launcher.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/context.h"
#include "comm/socket.h"
#include "config/run_config.h"
#include "launch/rank_variables.h"

namespace lockstep {

// How the processes of a run find each other.
enum class Rendezvous {
  None,      // there is only this process
  Store,     // at a store that is there already: the launcher's
  OwnStore,  // at a store that rank 0 runs where all others expect it
  Mpi,       // MPI connects them and says where rank 0's store is
};

struct RankIdentity {
  Rendezvous rendezvous = Rendezvous::None;
  int rank = 0, size = 1;  // of all processes
  Endpoint store = {};
  std::string token = {};
  bool token_can_be_guessed = false;  // it was derived from what others may know
  // Of mpirun's host; empty if the user told Open MPI which interfaces to use.
  std::vector<std::string> mpirun_addresses = {};
};

// Workers come first, then servers.
struct Roles {
  int workers = 1, servers = 0;
  bool in_worker = false;  // servers are threads of the first workers

  int ranks() const { return workers + servers; }
  int processes() const { return in_worker ? workers : ranks(); }
  bool is_server(int rank) const { return rank >= workers; }
};

std::string name_of(const Roles& roles, int rank);  // "worker 1", "parameter server 0"
// Worker 0's warning that strangers may join; empty: none is due.
std::string token_warning(const RankIdentity& identity);
// For whom a process that was started by hand waits, and where.
std::string waiting_line(const RankIdentity& identity, const Roles& roles);

// Parameter servers are meant where hosts for them are named, as in tf_cnn_benchmarks, whose
// default strategy has them. Returns whether it changed anything.
bool infer_strategy(RunConfig& run);

// Throws UsageError when what the user or the environment says makes no sense.
RankIdentity find_identity(const RunConfig& run, const Environment& environment);

// Every process was started by the user, who reads the output of each.
inline bool started_by_hand(const RunConfig& run) { return !run.job_name.empty(); }

// How the processes of an identity divide the work; of the launcher, what it has to start.
Roles roles_of(const RunConfig& run, const RankIdentity& identity);

}  // namespace lockstep
