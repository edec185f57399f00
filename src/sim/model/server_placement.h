// server_placement.h: which server holds which variables: the trainer's own placement.
#pragma once

#include <span>
#include <vector>

#include "sim/model/workload.h"

namespace lockstep {

struct PlacedSlice {
  int server = 0;
  double bytes = 0;
  size_t gradient = 0;  // of workload.gradients: the last that it waits for
};

// In the order in which backward finishes them. Computed once for each number of servers.
std::span<const PlacedSlice> placed_slices(const Workload& workload, int servers, bool sharded);

// Of all bytes, the part on the fullest server.
double hottest_share(std::span<const PlacedSlice> slices, int servers);

}  // namespace lockstep
