// variable_placement.h: assigns parts of the variables to parameter servers.
//
// A slice is what a worker pushes and pulls as one message: a variable, a shard of a large one, or
// a run of small neighbours. It is one contiguous span of the arena. Decided by values alone, so
// every worker comes to the same slices.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sync/strategy.h"
#include "sync/sync_options.h"

namespace lockstep {

struct SlicePart {                      // of one variable
  int64_t first_float = 0, floats = 0;  // in the slice
  bool decays = false;

  bool operator==(const SlicePart&) const = default;
};

struct Slice {
  std::string name;  // "conv0/kernel", "affine0/kernel 2/3"
  int server = 0;
  int64_t first_float = 0, floats = 0;  // in the arena
  std::vector<SlicePart> parts;
  ParameterId last = 0;                     // the last that backward has to finish for it
  std::vector<ParameterId> completes = {};  // with the slices before it

  int64_t bytes() const { return floats * static_cast<int64_t>(sizeof(float)); }
};

// In the arena's order. Variables go to the server with the fewest bytes so far, in the order of
// their creation; with options.sharded, large ones go to all servers in equal shards.
std::vector<Slice> place_slices(const Replicated& replicated, int servers,
                                const SyncOptions& options);

}  // namespace lockstep
