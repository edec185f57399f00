// rank_placement.h: places the processes of a run: on the given hosts, on the nodes of the Slurm
// allocation, or on this machine.
#pragma once

#include <vector>

#include "base/context.h"
#include "config/run_config.h"
#include "launch/place_ranks.h"

namespace lockstep {

// Whether this process must launch the run. `alone`: it is not one of its ranks already.
bool wants_launcher(const RunConfig& run, bool alone);

// Workers per host: AsGiven by --num-devices; AsSlots: by the host list, if the option is not
// given.
enum class PerHost { AsGiven, AsSlots };

struct RankPlacement {
  std::vector<Host> hosts = {};
  std::vector<PlacedRank> ranks = {};
  int store_port = 0;
  PerHost per_host = PerHost::AsSlots;
  bool in_allocation = false;
  bool submitted = false;  // Slurm has not chosen the nodes yet
};
RankPlacement place_run(const RunConfig& run, PerHost per_host, const Context& context);

}  // namespace lockstep
