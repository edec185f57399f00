// slurm_identity.h: the identity of a process that srun started.
#pragma once

#include "run/rank/rank_identity.h"

namespace lockstep {

// With a PMIx plug-in (srun --mpi=pmix) MPI connects the tasks. Without, rank 0 runs the store on
// the first node of the step, at a port that follows from the numbers of job and step. Names of
// nodes that are no names of hosts are looked up in Slurm's own list.
std::optional<RankIdentity> identity_by_slurm(const RunConfig& run, const Environment& environment);

// "n[3-5,9],m2" begins with n3, "r[0-1]n[2-3]" with r0n2; brackets as Slurm writes them.
std::string first_host(const std::string& node_list);

// The value of NodeAddr in what `scontrol show node` says; empty: it says none.
std::string node_address(const std::string& scontrol_text);

}  // namespace lockstep
