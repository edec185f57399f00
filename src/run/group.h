// group.h: this process's connections to the others of its run.
//
// All processes meet at a store, learn each other's hosts, and connect. Communicators are made by
// all of their members in the same order.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/backends.h"
#include "comm/device_communicator.h"
#include "comm/mpi.h"
#include "comm/store.h"
#include "comm/store_server.h"
#include "measure/cores.h"
#include "run/consistency_check.h"
#include "run/rank/rank_identity.h"

namespace lockstep {

// All that is needed to join as one rank, from any thread.
struct ServerSeat {
  StoreOptions store;
  Roster roster;
  std::string backend;
  CommOptions options;
};

inline constexpr const char* kInterruptedKey = "interrupted";  // worker 0 tells the servers
inline constexpr const char* kServersName = "servers";  // of what connects workers and servers

struct GroupMember {
  std::string host;
  CoreSet cores;  // that its system lets it use
};

class Group {
 public:
  // Waits for all. Throws Error naming the ranks that did not come within --stall-timeout.
  Group(const RankIdentity& identity, const Roles& roles, const RunConfig& run);

  int rank() const { return roster_.rank; }
  const Roles& roles() const { return roles_; }
  const Roster& roster() const { return roster_; }  // of all ranks: workers, then servers
  int nodes() const;                                // hosts that workers are on
  int workers_here() const;                         // on this process's host
  int local_rank() const;                           // among the workers on this host
  int cores_here() const;                           // that they may use together
  // This worker's part of the cores of its host, when nobody gave it a part of its own already;
  // empty when there are fewer cores than workers.
  CoreSet own_cores() const;
  void use_cores(const CoreSet& cores) { chosen_cores_ = cores; }  // in place of those
  // The first of the workers that divide these cores: it may use all of them for a while.
  bool leads_its_cores() const;
  bool pinned() const;           // own_cores() are not simply all cores
  CoreSet usable_cores() const;  // those, or where there are none, all that its system lets it use

  // Collective among the workers: throws Error when they differ in what is named.
  void check_consistent(const std::string& subject, const Traits& mine);
  // Workers, between two steps: agreeing, gathering. Not for measured communication.
  Communicator& control() { return *control_; }
  // Collective among the workers, or among all ranks.
  std::unique_ptr<Communicator> connect_workers(const std::string& name);
  // With another back-end or other rules than the run's.
  std::unique_ptr<Communicator> connect_workers(const std::string& name, const std::string& backend,
                                                const AllReduceRules& rules);
  std::unique_ptr<Communicator> connect_everyone(const std::string& name);
  // Out of the memory of the workers' GPUs; the calling thread's is this worker's.
  std::unique_ptr<DeviceCommunicator> connect_devices(const std::string& name);
  std::string_view backend() const { return backend_; }  // that carries gradients

  // What one rank tells all others, once, and they see whenever they look. Not collective.
  void tell(const std::string& key, const std::string& value);
  std::optional<std::string> told(const std::string& key);
  std::vector<int> gone_workers();  // those that have ended
  // Throws Error naming the ranks that have ended.
  void check_all_there();

  // Of a server that is a thread of this worker; absent: there is none here.
  std::optional<ServerSeat> server_seat(const std::string& name) const;

 private:
  void meet(const RunConfig& run);
  StoreOptions store_options(int rank) const;
  std::unique_ptr<Communicator> connect(const std::string& name, const Roster& roster);
  Roster workers() const;

  RankIdentity identity_;
  Roles roles_;
  CommOptions options_;
  std::string backend_;
  std::optional<MpiSession> mpi_;  // first made, last to end
  std::optional<StoreServer> server_;
  std::optional<Store> store_;  // absent: there is only this process
  Roster roster_;
  std::vector<GroupMember> members_;              // by rank
  CoreSet chosen_cores_;                          // by use_cores(); empty: own part
  std::map<std::string, std::string> own_words_;  // told where there is no store
  std::unique_ptr<Communicator> control_;         // null in a server
};

}  // namespace lockstep
