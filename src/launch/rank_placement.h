// rank_placement.h: where the processes of a run go: hosts that are given, nodes of the allocation,
// or this machine.
#pragma once

#include <vector>

#include "base/context.h"
#include "config/run_config.h"
#include "launch/place_ranks.h"

namespace lockstep {

// Whether somebody has to start the processes of this run. `alone`: no other one runs yet.
bool wants_launcher(const RunConfig& run, bool alone);

// How many workers a host has: as --num-devices says, or, where the line has none, the list's
// slots.
enum class PerHost { AsGiven, AsSlots };

struct RankPlacement {
  std::vector<Host> hosts = {};
  std::vector<PlacedRank> ranks = {};
  int store_port = 0;
  PerHost per_host = PerHost::AsSlots;
  bool in_allocation = false;
  bool submitted = false;  // nodes that Slurm has yet to choose
};
RankPlacement place_run(const RunConfig& run, PerHost per_host, const Context& context);

}  // namespace lockstep
