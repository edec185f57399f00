// default_hosts.h: decides where a sweep runs if the user does not say.
#pragma once

#include <string>
#include <vector>

#include "base/context.h"
#include "sweep/sweep_options.h"

namespace lockstep {

// Names the file with the hosts of a cluster that the AWS deep learning AMI set up.
inline constexpr const char* kWorkersVariable = "DEEPLEARNING_WORKERS_PATH";

// Whether the options say where to run.
bool places_itself(const SweepOptions& options);

// The hosts of --hosts, of the file of an AWS cluster, or of a Slurm allocation (if `in_allocation`
// asks for it). A list of this machine alone means its devices, without ssh. Adds to `notes`.
// Throws UsageError.
void choose_hosts(SweepOptions& options, const Context& context, bool in_allocation,
                  std::vector<std::string>& notes);

}  // namespace lockstep
