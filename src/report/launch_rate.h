// launch_rate.h: the images per second by which one launch is compared with others.
#pragma once

#include <cmath>

#include "report/run_result.h"

namespace lockstep {

// Of the steady steps, or else what the program said about the whole.
inline double rate_of(const RunResult& run) {
  const double rate = run.summary.images_per_second;
  return std::isfinite(rate) && rate > 0 ? rate : run.throughput.total_images_per_second;
}

}  // namespace lockstep
