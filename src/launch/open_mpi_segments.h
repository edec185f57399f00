// open_mpi_segments.h: removes shared memory that a killed Open MPI left in /dev/shm.
//
// mpirun removes the segments of its ranks when it ends, but cannot when it is killed. A segment
// belongs to nobody if no process maps it, and its name does not tell which run made it. Removed
// are those of this user that are newer than a run, and that no process of this machine maps.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/time.h"

namespace lockstep {

struct SegmentSearch {
  std::string directory = "/dev/shm";
  std::string processes = "/proc";
  std::chrono::system_clock::time_point newer_than;
  // A rank maps its segment at once. Younger ones may be those of a run that starts just now.
  std::chrono::seconds youngest{2};
};

// Paths of segments that nobody uses.
std::vector<std::string> unused_segments(const SegmentSearch& search);

// Waits until the ranks of the run are gone, for a few seconds at most.
void remove_unused_segments(const SegmentSearch& search);

}  // namespace lockstep
