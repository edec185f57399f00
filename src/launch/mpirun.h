// mpirun.h: the launcher that leaves starting to MPI's own: Open MPI's mpirun, or MPICH's.
//
// What Open MPI must be told: to bind nothing (it would bind each of up to two processes to one
// core, and a worker computes with all of its cores), to yield while it waits, which interface to
// use where there are several, and that root is meant. A process that ends with an error does not
// end the others at once: rank 0 may be writing what was measured.
#pragma once

#include "launch/launch_plan.h"

namespace lockstep {

enum class MpiKind { OpenMpi, Mpich };

// By what `mpirun --version` says. Throws Error when it is neither.
MpiKind mpi_kind(const std::string& version_text);

// The program must be at the same path on all hosts. Throws UsageError when MPICH cannot place the
// ranks: it fills host by host.
LaunchPlan plan_mpirun(const LaunchJob& job);

}  // namespace lockstep
