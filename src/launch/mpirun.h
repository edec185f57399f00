// mpirun.h: the launcher that uses mpirun of Open MPI or MPICH.
//
// Options for Open MPI: no binding (it would bind each of up to two processes to one core, but a
// worker uses all of its cores), yield while waiting, the network interface if there are several,
// and permission to run as root. A failed process does not end the others at once, because rank 0
// may still be writing the result.
#pragma once

#include "launch/launch_plan.h"

namespace lockstep {

enum class MpiKind { OpenMpi, Mpich };

// From the output of `mpirun --version`. Throws Error if it is neither.
MpiKind mpi_kind(const std::string& version_text);

// Whether ranks that this mpirun starts find each other by this library (mpi_library_version() of
// comm/mpi.h): both are MPICH, or Open MPI of one major version.
bool fits(const std::string& mpirun_version, const std::string& library_version);

// Whether MPI connects the ranks: this program is linked with MPI, and with Open MPI's.
bool meet_by_mpi(const LaunchJob& job);

// The program must have the same path on all hosts. Throws UsageError if MPICH cannot place the
// ranks: it fills hosts in order.
LaunchPlan plan_mpirun(const LaunchJob& job);

}  // namespace lockstep
