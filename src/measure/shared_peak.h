// shared_peak.h: the joint FMA peak of all cores of a run, from what its workers measured at the
// same time.
//
// A burst lasts milliseconds, so a worker has a core to itself meanwhile even where several take
// turns on it. On a host whose workers want more cores than there are, what they reach is therefore
// counted only for the cores that there are.
#pragma once

#include <span>
#include <string>

namespace lockstep {

struct WorkerPeak {
  std::string host;
  double gflops = 0;
  int cores = 1;       // that it computes on at once; 0: on a device of its own
  int host_cores = 1;  // that all workers of its host may use together
};

double shared_peak(std::span<const WorkerPeak> workers);

}  // namespace lockstep
