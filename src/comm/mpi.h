// mpi.h: ranks that mpirun or srun started, over MPI.
//
// Calls that MPI can do without blocking are polled, so they end with an Error when nothing moves.
// The large all-reduce is MPI's blocking one, which is the fast one and cannot be interrupted: all
// ranks meet before it, and should one fall silent inside, the watchdog says so and aborts the job.
// When a process dies, mpirun itself ends the job.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "comm/comm_options.h"
#include "comm/communicator.h"
#include "comm/roster.h"

namespace lockstep {

// Whether this program is linked with MPI. Without it (mpi_absent.cpp) the rest of this header
// throws the same UsageError, which says what works instead.
bool has_mpi();
std::string mpi_library_version();  // "Open MPI v4.1.4"; empty without MPI

// MPI from here to its end; one per process. Unwound by an exception it does not wait for the other
// ranks: the launcher sees a process that ended without farewell and ends the job.
class MpiSession {
 public:
  // `mpirun_addresses`: of mpirun's host (mpi_interfaces.h). Empty: the user chose interfaces.
  explicit MpiSession(const std::vector<std::string>& mpirun_addresses = {});
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  const Roster& roster() const { return roster_; }
  std::string from_rank_0(
      const std::string& text);  // collective: where the store is, and its token
  std::vector<std::string> from_all(const std::string& text);  // collective: by rank

 private:
  int exceptions_;  // on their way when this was made
  Roster roster_;
};

// Needs an MpiSession. The members' run ranks are MPI's.
std::unique_ptr<Communicator> make_mpi(const Roster& roster, const CommOptions& options,
                                       Store& store);

}  // namespace lockstep
